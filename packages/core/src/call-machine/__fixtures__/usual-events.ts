/** The usual next event, so that random histories reach conversations, monitors and transfers. */
import type { LegEnd } from '@clarion/protocol/media';
import type { CallEvent } from '../event.ts';
import type { CallState } from '../state.ts';
import { AGENTS, NODE, placeInQueue } from './beginnings.ts';
import { usualOfArrival } from './flow-histories.ts';

/** The usual next event: purely random events would hardly ever reach a conversation. */
export function usual(state: CallState, seed: number): CallEvent {
  const codec = 'PCMA';
  const fresh = `leg-${seed}`;
  const options: CallEvent[] = [];
  switch (state.phase) {
    case 'intent':
      options.push({ type: 'start', agentId: 1, deviceId: 'desk', legId: fresh, mediaNodeId: NODE });
      break;
    case 'dialing':
      options.push({ type: 'leg-connected', legId: state.agent.legId, codec });
      if (state.progress !== 'agent') {
        options.push({ type: 'leg-ringing', legId: state.carrierLegId });
        options.push({ type: 'leg-connected', legId: state.carrierLegId, codec });
      }
      options.push({ type: 'resume', agentId: 1, deviceId: 'phone', legId: fresh });
      options.push({ type: 'leg-interrupted', legId: state.agent.legId });
      break;
    case 'arriving':
    case 'ivr':
      options.push(...usualOfArrival(state, seed));
      break;
    case 'awaiting-owner': {
      const { agentId } = state;
      options.push({ type: 'offer', queueId: null, agentIds: [agentId], ringTimeoutSeconds: 30 });
      options.push({ type: 'agent-unavailable', agentId, onCall: seed % 2 === 0 });
      options.push({ type: 'tick' });
      break;
    }
    case 'answering':
      options.push({ type: 'leg-connected', legId: state.carrierLegId, codec });
      break;
    case 'waiting': {
      const queueId = state.wait.stops[0]?.queueId ?? 0;
      options.push({ type: 'offer', queueId, agentIds: [(seed % 3) + 1], ringTimeoutSeconds: 20 });
      options.push({ type: 'offer', queueId, agentIds: AGENTS, ringTimeoutSeconds: 20 });
      if (!state.answered) break;
      const { carrierLegId, plays, wait, leaving } = state;
      const announcement = `announcement-${plays}`;
      options.push({ type: 'announced', playId: announcement, position: 2, waitSeconds: 90 });
      const heard = leaving?.playId ?? wait.announcing ?? announcement;
      options.push({ type: 'leg-played', legId: carrierLegId, playId: heard, played: true });
      if (seed % 5 === 0) options.push({ type: 'leg-dtmf', legId: carrierLegId, digit: '1', at: seed });
      break;
    }
    case 'callback': {
      const queueId = state.wait.stops[0]?.queueId ?? 0;
      const ringing = state.offers[seed % 3]?.agentId;
      const mediaNodeId = NODE;
      options.push({ type: 'offer', queueId, agentIds: [(seed % 3) + 1], ringTimeoutSeconds: 20 });
      if (ringing === undefined) break;
      options.push({ type: 'accept', agentId: ringing, deviceId: 'desk', legId: fresh, mediaNodeId });
      options.push({ type: 'decline', agentId: ringing });
      break;
    }
    case 'offering': {
      const ringing = state.offers[seed % state.offers.length]?.agentId ?? 0;
      options.push({ type: 'accept', agentId: ringing, deviceId: 'desk', legId: fresh });
      options.push({ type: 'accept', agentId: ringing, deviceId: 'phone', legId: fresh });
      options.push({ type: 'decline', agentId: ringing });
      break;
    }
    case 'connecting':
      options.push({ type: 'leg-connected', legId: state.agent.legId, codec });
      options.push({ type: 'leg-connected', legId: state.agent.legId, codec, answered: true });
      options.push({ type: 'leg-connected', legId: state.carrierLegId, codec });
      options.push({
        type: 'leg-connected',
        legId: state.carrierLegId,
        codec,
        agent: { legId: state.agent.legId, codec },
      });
      options.push({ type: 'leg-ended', legId: state.agent.legId, end: lostLeg, stats: null });
      break;
    case 'talking':
    case 'ended': {
      const side = state.phase === 'talking' ? state.agent : { agentId: 1, legId: 'leg-a' };
      options.push({ type: 'hold', agentId: side.agentId, held: seed % 2 === 0 });
      options.push({ type: 'leg-interrupted', legId: side.legId });
      options.push({ type: 'resume', agentId: side.agentId, deviceId: 'phone', legId: fresh });
      options.push({ type: 'leg-connected', legId: side.legId, codec });
      options.push({ type: 'leg-ended', legId: side.legId, end: lostLeg, stats: null });
      options.push({ type: 'agent-gone', agentId: side.agentId });
      options.push({ type: 'agent-back', agentId: side.agentId });
      options.push(...usualOfTransfer(state, side.agentId, seed));
    }
  }
  return options[seed % options.length] ?? { type: 'tick' };
}
/** The conversation is transferred, back and forth. */
function usualOfTransfer(state: CallState, agentId: number, seed: number): CallEvent[] {
  const transfer = state.phase === 'talking' ? state.transfer : null;
  const other = AGENTS.find((one) => one !== agentId && one !== (seed % 3) + 1) ?? 1;
  const { stops } = placeInQueue();
  if (!transfer) {
    return [
      { type: 'transfer', agentId, to: { kind: 'agent', agentId: other, ringTimeoutSeconds: 30 } },
      { type: 'transfer', agentId, to: { kind: 'queue', stops } },
    ];
  }
  if (transfer.accepted) {
    const { side } = transfer.accepted;
    return [
      { type: 'leg-connected', legId: side.legId, codec: 'PCMA' },
      { type: 'leg-connected', legId: side.legId, codec: 'PCMA' },
      { type: 'leg-ended', legId: side.legId, end: lostLeg, stats: null },
    ];
  }
  const rings = transfer.offers[seed % 2]?.agentId ?? transfer.offers[0]?.agentId;
  const queueId = transfer.wait?.stops[0]?.queueId;
  return [
    ...(queueId === undefined
      ? []
      : [{ type: 'offer', queueId, agentIds: AGENTS, ringTimeoutSeconds: 20 } as const]),
    ...(rings === undefined
      ? []
      : ([
          { type: 'accept', agentId: rings, deviceId: 'desk', legId: `leg-${seed}` },
          { type: 'accept', agentId: rings, deviceId: 'phone', legId: `leg-${seed}` },
          { type: 'decline', agentId: rings },
        ] as const)),
    ...(seed % 4 === 0 ? [{ type: 'transfer-cancel', agentId } as const] : []),
  ];
}

const lostLeg: LegEnd = {
  cause: 'media-error',
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: 'transport closed',
};
