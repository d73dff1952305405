/**
 * Offers of a call that other agents could answer too: of a queue, or of a transfer. An agent whose apps are disconnected will not answer,
 * so the caller does not wait for them; a page that is reloaded is back in time. (The owner of a personal line is rung all the same: no
 * other agent can answer the call.)
 */
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import type { Offer } from './state.ts';
import { OFFER_GONE_MS } from './timing.ts';
import { notifyAgent, wholeSeconds } from './shared.ts';

export const offerEndsAt = ({ expiresAt, goneAt }: Offer): number =>
  goneAt === undefined ? expiresAt : Math.min(expiresAt, goneAt + OFFER_GONE_MS);

/** missed: expired while the agent was connected. gone: expired while they were not, which is not a missed offer. */
export interface OffersOver {
  missed: number[];
  gone: number[];
}

export function offersOver(offers: Offer[], now: number): OffersOver {
  const over = offers.filter((made) => now >= offerEndsAt(made));
  const of = (there: boolean) =>
    over.filter(({ goneAt }) => (goneAt === undefined) === there).map(({ agentId }) => agentId);
  return { missed: of(true), gone: of(false) };
}

/** Records that an agent being rung disconnected or is back; null if the event concerns none of them. */
export function updateConnected(offers: Offer[], event: CallEvent, now: number): Offer[] | null {
  if (event.type !== 'agent-gone' && event.type !== 'agent-back') return null;
  const rung = offers.find(({ agentId }) => agentId === event.agentId);
  if (!rung || (rung.goneAt === undefined) === (event.type === 'agent-back')) return null;
  const { goneAt: _, ...there } = rung;
  const noted: Offer = event.type === 'agent-gone' ? { ...there, goneAt: now } : there;
  return offers.map((made) => (made === rung ? noted : made));
}

/** A call for one particular agent, not for a queue. Any other agent reserved for it is released again. */
export function offerToOne(
  agentId: number | null,
  event: Extract<CallEvent, { type: 'offer' }>,
  now: number,
): { offer: Offer | null; effects: Effect[] } {
  const fits = (id: number) => id === agentId && event.queueId === null;
  const effects = event.agentIds
    .filter((id) => !fits(id))
    .map((id): Effect => ({ kind: 'agent', agentId: id, change: 'free' }));
  const found = event.agentIds.find(fits);
  if (found === undefined) return { offer: null, effects };
  const expiresAt = now + event.ringTimeoutSeconds * 1000;
  return { offer: { agentId: found, offeredAt: now, expiresAt }, effects };
}

export const releaseAgent = (
  agentId: number,
  change: 'free' | 'declined' | 'missed',
  reason: 'ANSWERED_ELSEWHERE' | 'TIMEOUT' | 'CANCELLED' | 'DECLINED',
): Effect[] => [
  { kind: 'agent', agentId, change },
  notifyAgent(agentId, { message: 'withdrawn', reason }),
  ...(change === 'missed' ? [notifyAgent(agentId, { message: 'agent' })] : []),
  { kind: 'dispatch-agent', agentId },
];

export const missedRecord = (agentId: number): Effect => ({ kind: 'record', type: 'MISSED', agentId });

/** Releases the agents whose offer has expired, and records who missed one. */
export const releaseAfterOffers = ({ missed, gone }: OffersOver): Effect[] => [
  ...missed.map(missedRecord),
  ...missed.flatMap((agentId) => releaseAgent(agentId, 'missed', 'TIMEOUT')),
  ...gone.flatMap((agentId) => releaseAgent(agentId, 'free', 'TIMEOUT')),
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
