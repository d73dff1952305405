/**
 * Offers of a call that other agents could answer too: of a queue, or of a transfer. An agent whose apps are disconnected will not answer,
 * so the caller does not wait for them; a page that is reloaded is back in time, and an app that a push notification wakes has a little
 * longer. (The owner of a personal line is rung all the same: no other agent can answer the call.)
 */
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import type { Offer } from './state.ts';
import { OFFER_GONE_MS, WAKE_GRACE_MS } from './timing.ts';
import { notifyAgent, wholeSeconds } from './shared.ts';

type OfferEvent = Extract<CallEvent, { type: 'offer' }>;

/** To an agent of a queue. */
export function queueOffer(agentId: number, event: OfferEvent, now: number): Offer {
  const made = { agentId, offeredAt: now, expiresAt: now + event.ringTimeoutSeconds * 1000 };
  return isWoken(event, agentId) ? { ...made, goneAt: now, waking: true } : made;
}

const isWoken = ({ wakeIds = [] }: OfferEvent, agentId: number): boolean => wakeIds.includes(agentId);

export const offerEndsAt = ({ expiresAt, goneAt, waking }: Offer): number =>
  goneAt === undefined ? expiresAt : Math.min(expiresAt, goneAt + (waking ? WAKE_GRACE_MS : OFFER_GONE_MS));

/**
 * missed: expired while the agent was connected. gone: expired while they were not, which is not a missed offer. unreached: of these, no
 * device that a push notification was to wake has connected.
 */
export interface OffersOver {
  missed: number[];
  gone: number[];
  unreached: number[];
}

export function offersOver(offers: Offer[], now: number): OffersOver {
  const over = offers.filter((made) => now >= offerEndsAt(made));
  const of = (kind: keyof OffersOver) =>
    over.filter((made) => expiryOf(made) === kind).map(({ agentId }) => agentId);
  return { missed: of('missed'), gone: of('gone'), unreached: of('unreached') };
}

export function expiryOf({ goneAt, waking }: Pick<Offer, 'goneAt' | 'waking'>): keyof OffersOver {
  if (waking) return 'unreached';
  return goneAt === undefined ? 'missed' : 'gone';
}

/** Records that an agent being rung disconnected or is back; null if the event concerns none of them. */
export function updateConnected(offers: Offer[], event: CallEvent, now: number): Offer[] | null {
  if (event.type !== 'agent-gone' && event.type !== 'agent-back') return null;
  const rung = offers.find(({ agentId }) => agentId === event.agentId);
  if (!rung || (rung.goneAt === undefined) === (event.type === 'agent-back')) return null;
  const { goneAt: _, waking: __, ...there } = rung;
  const noted: Offer = event.type === 'agent-gone' ? { ...there, goneAt: now } : there;
  return offers.map((made) => (made === rung ? noted : made));
}

/** A call for one particular agent, not for a queue. Any other agent reserved for it is released again. */
export function offerToOne(
  agentId: number | null,
  event: OfferEvent,
  now: number,
): { offer: Offer | null; effects: Effect[] } {
  const fits = (id: number) => id === agentId && event.queueId === null;
  const effects = event.agentIds
    .filter((id) => !fits(id))
    .map((id): Effect => ({ kind: 'agent', agentId: id, change: 'free' }));
  const found = event.agentIds.find(fits);
  if (found === undefined) return { offer: null, effects };
  const expiresAt = now + event.ringTimeoutSeconds * 1000;
  return {
    offer: { agentId: found, offeredAt: now, expiresAt, ...(isWoken(event, found) && { waking: true }) },
    effects,
  };
}

/** Notifies the agent's apps, and by push notification the devices without one that is connected. */
export const notifyOffered = ({ agentId, expiresAt, waking }: Offer): Effect =>
  notifyAgent(agentId, { message: 'incoming', expiresAt, ...(waking && { waking }) });

export const releaseAgent = (
  agentId: number,
  change: 'free' | 'declined' | 'missed' | 'unreached',
  reason: 'ANSWERED_ELSEWHERE' | 'TIMEOUT' | 'CANCELLED' | 'DECLINED',
): Effect[] => [
  { kind: 'agent', agentId, change },
  notifyAgent(agentId, { message: 'withdrawn', reason }),
  ...(change === 'missed' ? [notifyAgent(agentId, { message: 'agent' })] : []),
  { kind: 'dispatch-agent', agentId },
];

export const missedRecord = (agentId: number): Effect => ({ kind: 'record', type: 'MISSED', agentId });

/**
 * Releases the agents whose offer has expired, and records who missed one. A wait counts all of them as missed, so that other agents are
 * offered the call first.
 */
export const releaseAfterOffers = ({ missed, gone, unreached }: OffersOver): Effect[] => [
  ...missed.map(missedRecord),
  ...missed.flatMap((agentId) => releaseAgent(agentId, 'missed', 'TIMEOUT')),
  ...gone.flatMap((agentId) => releaseAgent(agentId, 'free', 'TIMEOUT')),
  ...unreached.flatMap((agentId) => releaseAgent(agentId, 'unreached', 'TIMEOUT')),
];

/** Everyone whose offer is over. */
export const withoutOffer = ({ missed, gone, unreached }: OffersOver): number[] => [
  ...missed,
  ...gone,
  ...unreached,
];

/** An agent has accepted: the call is theirs from now on and rings nobody else. `offers`: all open offers. */
export function acceptedBy(
  offers: Offer[],
  { agentId, deviceId }: Extract<CallEvent, { type: 'accept' }>,
  now: number,
): Effect[] {
  const others = offers.filter((made) => made.agentId !== agentId);
  const offeredAt = offers.find((made) => made.agentId === agentId)?.offeredAt ?? now;
  return [
    {
      kind: 'record',
      type: 'ACCEPTED',
      agentId,
      durationSeconds: wholeSeconds(offeredAt, now),
      metadata: { deviceId },
    },
    { kind: 'agent', agentId, change: 'engage' },
    { kind: 'join', who: 'AGENT', agentId, deviceId },
    notifyAgent(agentId, { message: 'withdrawn', reason: 'ANSWERED_ELSEWHERE', exceptDeviceId: deviceId }),
    notifyAgent(agentId, { message: 'agent' }),
    ...others.flatMap((other) => releaseAgent(other.agentId, 'free', 'ANSWERED_ELSEWHERE')),
  ];
}
