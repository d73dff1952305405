/** What happens in a sample call after an agent accepted it. Pure. */
import { outcomes } from '@clarion/core/call-machine/outcome';
import type { LegStats } from '@clarion/protocol/media';
import { castAgents } from './cast.ts';
import type { CastRef } from './cast.ts';
import type { PlannedCall } from './plan.ts';
import type { Random } from './random.ts';
import type { Team } from './team.ts';

const TALK_MS = 190_000;
const TALK_MIN_MS = 12_000;
const TALK_MAX_MS = 1_500_000;
const HOLDS = 0.16;
const TRANSFERS = 0.08;
const LISTENS = 0.04;
const CUSTOMER_ENDS = 0.58;
const BREAKS_OFF = 0.006;
/** A call in which more happens is longer. */
const EVENTFUL_MS = 60_000;
const PACKETS_A_SECOND = 50;
/** Emil works from home. */
const POOR_NETWORK: CastRef = 'emil';
const POOR = 0.25;

type Talk = Pick<
  PlannedCall,
  'answeredAt' | 'answeredBy' | 'hold' | 'transfer' | 'monitor' | 'endedAt' | 'outcome' | 'stats'
>;

/** Occupies the agents who take part. @param acceptedAt when the agent accepted the call: audio starts a moment later */
export function conversation(random: Random, team: Team, answeredBy: CastRef, acceptedAt: number): Talk {
  const answeredAt = acceptedAt + random.between(180, 620);
  const talkMs = Math.min(TALK_MAX_MS, TALK_MIN_MS + Math.round(random.around(TALK_MS)));
  const eventful = talkMs > EVENTFUL_MS;
  const endedAt = answeredAt + talkMs;
  team.occupy(answeredBy, endedAt);
  const holdAt = answeredAt + Math.round(talkMs * 0.3);
  const hold =
    eventful && random.chance(HOLDS) ? { from: holdAt, to: holdAt + random.between(8_000, 20_000) } : null;
  const transfer = eventful && random.chance(TRANSFERS) ? handOver(random, team, answeredAt, talkMs) : null;
  if (transfer) team.occupy(transfer.to, endedAt);
  const listener: CastRef = 'cleo';
  const listensAt = answeredAt + Math.round(talkMs * 0.1);
  const monitor =
    eventful && !transfer && random.chance(LISTENS) && team.freeAt([listener], listensAt).length > 0
      ? { by: listener, from: listensAt, to: listensAt + Math.round(talkMs * 0.5) }
      : null;
  if (monitor) team.occupy(listener, monitor.to);
  const broken = random.chance(BREAKS_OFF);
  const poor = answeredBy === POOR_NETWORK && random.chance(POOR);
  return {
    answeredBy,
    answeredAt,
    hold,
    transfer,
    monitor,
    endedAt,
    outcome: broken
      ? outcomes.networkError('no_audio', 'No audio was received from the customer.')
      : outcomes.completedBy(random.chance(CUSTOMER_ENDS) ? 'CUSTOMER' : 'AGENT'),
    stats: statsOf(random, talkMs, poor ? 1 : 0),
  };
}

function handOver(random: Random, team: Team, answeredAt: number, talkMs: number): PlannedCall['transfer'] {
  const at = answeredAt + Math.round(talkMs * 0.6);
  const refs = castAgents.map(({ ref }) => ref);
  const [to] = team.freeAt(refs, at);
  return to === undefined ? null : { at, acceptedAt: at + random.between(3_000, 9_000), to };
}

/** @param trouble 0: a normal connection; 1: the agent's network loses packets */
export function statsOf(
  random: Random,
  talkMs: number,
  trouble: number,
): { customer: LegStats; agent: LegStats } {
  const packets = Math.round((talkMs / 1000) * PACKETS_A_SECOND);
  const leg = (codec: string, lossShare: number, jitterMs: number, roundTripMs: number | null): LegStats => {
    const lostPackets = Math.round(packets * lossShare);
    return {
      codec,
      durationMs: talkMs,
      receivedPackets: packets - lostPackets,
      lostPackets,
      jitterMs: Math.round(jitterMs * 10) / 10,
      roundTripMs,
      sentPackets: packets,
      remoteLossPercent: Math.round(lossShare * 100),
    };
  };
  return {
    customer: leg('PCMA', random.next() * 0.004, 1 + random.around(3), random.between(24, 88)),
    agent: leg(
      'opus',
      trouble * 0.05 + random.next() * 0.002,
      3 + random.around(4) + trouble * 38,
      random.between(18, 60) + trouble * 140,
    ),
  };
}
