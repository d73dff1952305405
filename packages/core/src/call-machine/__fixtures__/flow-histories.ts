/** A flow with every kind of exit, and the usual events in it, so that random histories include flows. */
import { ivrStructure } from '@clarion/protocol/ivr/structure';
import { newFlowRun } from '../../ivr/flow-run.ts';
import type { Flow } from '../../ivr/flow-run.ts';
import { beginInboundCall } from '../arrival.ts';
import type { InboundRoute } from '../arrival.ts';
import type { CallEvent } from '../event.ts';
import type { ArrivingState, IvrState } from '../state.ts';
import type { OverflowHop } from '../../queue-routing/overflow-hop.ts';

/** Keys: 1 a queue, 2 an agent with an `overflow` edge, 3 one without, 4 audio, 5 the end of the flow. */
export function aFlow(stops: OverflowHop[], agentId: number): Flow {
  const transfer = (id: string, targetType: string, targetId: number) => ({
    id,
    type: 'ivr_transfer',
    data: { targetType, targetId },
  });
  return {
    ivrFlowId: 5,
    audio: { 1: { file: 'welcome', seconds: 2 } },
    queues: { 10: stops },
    lineQueue: stops.slice(1),
    structure: ivrStructure.parse({
      nodes: [
        { id: 'start', type: 'ivr_start' },
        { id: 'menu', type: 'ivr_menu', data: { audioFileId: 1, maxReplays: 1 } },
        transfer('queue', 'queue', 10),
        transfer('agent', 'agent', agentId),
        transfer('only', 'agent', agentId),
        { id: 'sound', type: 'ivr_play', data: { audioFileId: 1 } },
      ],
      edges: [
        { source: 'start', target: 'menu' },
        ...['queue', 'agent', 'only', 'sound'].map((target, index) => ({
          source: 'menu',
          target,
          sourceHandle: String(index + 1),
        })),
        { source: 'queue', target: 'agent', sourceHandle: 'overflow' },
        { source: 'agent', target: 'sound', sourceHandle: 'overflow' },
      ],
    }),
  };
}

export const arrives = (route: InboundRoute, now: number, lookup: boolean, ringUntil?: number) =>
  beginInboundCall(
    {
      callId: 7,
      record: false,
      mediaPath: 'ROOM',
      mediaNodeId: 'media-1',
      carrierLegId: 'customer',
      route,
      lookup,
      ...(ringUntil !== undefined && { ringUntil }),
    },
    now,
  );

export const entersFlow = (flow: Flow, now: number, lookup = false) =>
  arrives({ kind: 'flow', flow: newFlowRun(flow, now) }, now, lookup);

/** The usual next event before an agent rings. */
export function usualOfArrival(state: ArrivingState | IvrState, seed: number): CallEvent[] {
  const legId = state.carrierLegId;
  if (state.phase === 'arriving') {
    const said = { type: 'looked-up', result: 'ANSWERED', name: 'Jo', externalRef: null } as const;
    return [
      { ...said, reject: false },
      { ...said, reject: seed % 7 === 0 },
    ];
  }
  if (!state.answered) return [{ type: 'leg-connected', legId, codec: 'PCMA' }];
  if (state.seeking !== null) {
    const agentId = state.seeking;
    return [
      { type: 'offer', queueId: null, agentIds: [agentId], ringTimeoutSeconds: 20 },
      { type: 'agent-unavailable', agentId, onCall: seed % 2 === 0 },
      { type: 'leg-dtmf', legId, digit: '9', at: seed },
    ];
  }
  const { playId } = state.flow;
  return [
    { type: 'leg-dtmf', legId, digit: String(1 + (seed % 5)), at: seed },
    ...(playId === null ? [] : [{ type: 'leg-played', legId, playId, played: seed % 3 > 0 } as const]),
    { type: 'tick' },
  ];
}
