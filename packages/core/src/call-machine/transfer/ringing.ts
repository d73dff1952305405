/** A transfer that rings, or waits in its queue until it does. */
import type { CallEvent } from '../event.ts';
import type { Effect } from '../effects.ts';
import type { Offer } from '../state.ts';
import { AGENT_CONNECT_MS } from '../timing.ts';
import { countMissed, isOver, withdrawAll } from '../inbound.ts';
import {
  acceptedBy,
  missedRecord,
  notifyOffered,
  updateConnected,
  offerEndsAt,
  offersOver,
  queueOffer,
  releaseAfterOffers,
  releaseAgent,
  withoutOffer,
} from '../offers.ts';
import { newSide, unchanged } from '../shared.ts';
import type { Step } from '../shared.ts';
import { withMissed, declinedRecord, failed, inQueue, withDeclined, without } from './returned.ts';
import type { Transferring } from './returned.ts';

export function stepRinging(state: Transferring, event: CallEvent, now: number): Step | null {
  if (event.type === 'tick') return tick(state, now);
  if (event.type === 'offer') return offer(state, event, now);
  if (event.type === 'queue-gone')
    return event.queueId === state.transfer.wait?.stops[0]?.queueId ? leaveQueue(state, [], now) : null;
  const rung = 'agentId' in event ? offerTo(state, event.agentId) : undefined;
  if (!rung) return null;
  const { agentId } = rung;
  switch (event.type) {
    case 'accept':
      return accept(state, rung, event, now);
    case 'decline':
    case 'hangup':
      return without(
        withDeclined(state, agentId),
        [agentId],
        'DECLINED',
        [declinedRecord(agentId), ...releaseAgent(agentId, 'declined', 'DECLINED')],
        now,
      );
    case 'agent-removed':
      return without(
        withDeclined(state, agentId),
        [agentId],
        'AGENT_GONE',
        releaseAgent(agentId, 'free', 'CANCELLED'),
        now,
      );
    case 'agent-gone':
    case 'agent-back': {
      const offers = updateConnected(state.transfer.offers, event, now);
      return offers
        ? { state: { ...state, transfer: { ...state.transfer, offers } }, effects: [] }
        : unchanged(state);
    }
    default:
      return null;
  }
}

const offerTo = ({ transfer }: Transferring, agentId: number): Offer | undefined =>
  transfer.offers.find((made) => made.agentId === agentId);

/** Dispatch chose these agents and has reserved them in the same transaction. Any who are not eligible any more are released. */
function offer(state: Transferring, event: Extract<CallEvent, { type: 'offer' }>, now: number): Step | null {
  const { wait, offers: already } = state.transfer;
  if (!wait) return null;
  const known = [state.agent.agentId, ...already.map(({ agentId }) => agentId)];
  const others = event.agentIds.filter((agentId) => !known.includes(agentId));
  const fits = (agentId: number) =>
    event.queueId === wait.stops[0]?.queueId && !wait.declined.includes(agentId);
  const offers = others.filter(fits).map((agentId) => queueOffer(agentId, event, now));
  const misfits = others.filter((agentId) => !fits(agentId));
  return {
    state: { ...state, transfer: { ...state.transfer, offers: [...already, ...offers] } },
    effects: [
      ...misfits.map((agentId): Effect => ({ kind: 'agent', agentId, change: 'free' })),
      ...offers.flatMap(offered),
    ],
  };
}

/** The call has rung before, so its row does not change. */
export const offered = (offer: Offer): Effect[] => [
  { kind: 'record', type: 'OFFERED', agentId: offer.agentId },
  notifyOffered(offer),
];

function accept(
  state: Transferring,
  taken: Offer,
  event: Extract<CallEvent, { type: 'accept' }>,
  now: number,
): Step {
  if (now >= offerEndsAt(taken)) return unchanged(state);
  const accepted = { side: newSide(event), offeredAt: taken.offeredAt, connectBy: now + AGENT_CONNECT_MS };
  return {
    state: { ...state, transfer: { ...state.transfer, offers: [], accepted } },
    effects: acceptedBy(state.transfer.offers, event, now),
  };
}

function tick(state: Transferring, now: number): Step | null {
  const { wait, offers } = state.transfer;
  const over = offersOver(offers, now);
  if (wait && isOver(wait, now)) return leaveQueue(state, over.missed, now);
  const agentIds = withoutOffer(over);
  if (agentIds.length === 0) return null;
  return without(
    withMissed(state, agentIds),
    agentIds,
    over.missed.length > 0 ? 'NO_ANSWER' : 'AGENT_GONE',
    releaseAfterOffers(over),
    now,
  );
}

/**
 * max_wait_seconds has passed or the queue was deleted: continues with the next queue of the overflow chain, each visited once, otherwise
 * the transfer returns.
 */
function leaveQueue(state: Transferring, missedBy: number[], now: number): Step {
  const { wait, offers } = state.transfer;
  const withdrawn = [...missedBy.map(missedRecord), ...withdrawAll(offers, missedBy)];
  const [, next, ...rest] = wait?.stops ?? [];
  if (!wait || !next) return failed(state, 'QUEUE_TIMEOUT', withdrawn, now);
  const moved = inQueue({ ...countMissed(wait, missedBy), stops: [next, ...rest] }, now);
  return {
    state: { ...state, transfer: { ...state.transfer, wait: moved, offers: [] } },
    effects: [
      ...withdrawn,
      { kind: 'record', type: 'OVERFLOWED', metadata: { queueRef: next.ref } },
      { kind: 'dispatch', queueId: next.queueId },
    ],
  };
}
