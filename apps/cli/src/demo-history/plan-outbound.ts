/** A sample outbound call. Pure. */
import { failureDetails, outcomes } from '@clarion/core/call-machine/outcome';
import type { Outcome } from '@clarion/core/call-machine/outcome';
import { castAgents } from './cast.ts';
import type { CastCustomer } from './cast.ts';
import { conversation } from './plan-talk.ts';
import type { PlannedCall } from './plan.ts';
import type { Random } from './random.ts';
import type { Team } from './team.ts';

const ANSWERED = 0.68;
const RINGS_OUT_MS = 45_000;

/** Null if no agent is idle. */
export function planOutbound(
  random: Random,
  team: Team,
  customer: CastCustomer,
  createdAt: number,
): PlannedCall | null {
  const [agentRef] = team.freeAt(
    castAgents.map(({ ref }) => ref),
    createdAt,
  );
  if (agentRef === undefined) return null;
  const dialledAt = createdAt + random.between(700, 1_800);
  const base = {
    direction: 'OUTBOUND',
    lineRef: agentRef === 'ada' ? 'ada' : random.chance(0.5) ? 'sales' : 'support',
    customer,
    createdAt,
    externalRef: random.chance(0.7) ? `order-${random.between(48_000, 52_000)}` : null,
    ivr: null,
    queueRef: null,
    queuedAt: null,
    overflowed: null,
    offers: [],
    dialledBy: agentRef,
    dialledAt,
    recording: null,
  } as const;
  if (random.chance(ANSWERED)) {
    const talk = conversation(random, team, agentRef, dialledAt + random.between(4_000, 17_000));
    return { ...base, offers: [], ...talk };
  }
  const { afterMs, outcome } = notReached(random);
  const endedAt = dialledAt + afterMs;
  team.occupy(agentRef, endedAt);
  const none = { answeredBy: null, answeredAt: null, hold: null, transfer: null, monitor: null, stats: null };
  return { ...base, offers: [], ...none, endedAt, outcome };
}

function notReached(random: Random): { afterMs: number; outcome: Outcome } {
  const luck = random.next();
  if (luck < 0.55) {
    return {
      afterMs: RINGS_OUT_MS,
      outcome: outcomes.customerDidNotAnswer(),
    };
  }
  if (luck < 0.75) {
    return {
      afterMs: random.between(2_000, 6_000),
      outcome: {
        status: 'TERMINATED',
        terminationReason: 'REJECTED',
        terminatedBy: 'CUSTOMER',
        failureDetails: {
          ...failureDetails('busy'),
          sipStatus: 486,
          sipReason: 'Busy Here',
          q850: 17,
        },
      },
    };
  }
  if (luck < 0.88) {
    return { afterMs: random.between(6_000, 25_000), outcome: outcomes.cancelledBy('AGENT') };
  }
  return {
    afterMs: random.between(900, 2_500),
    outcome: {
      status: 'FAILED',
      terminationReason: 'PROVIDER_ERROR',
      terminatedBy: 'PROVIDER',
      failureDetails: {
        ...failureDetails('number_not_found'),
        sipStatus: 404,
        sipReason: 'Not Found',
        q850: 1,
      },
    },
  };
}
