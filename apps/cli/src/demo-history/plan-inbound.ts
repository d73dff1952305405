/** A sample inbound call: through the menu, directly to a queue, or to a personal line. Pure. */
import { outcomes } from '@clarion/core/call-machine/outcome';
import { castQueues } from './cast.ts';
import type { CastCustomer, CastQueue, CastRef } from './cast.ts';
import { conversation, statsOf } from './plan-talk.ts';
import type { PlannedCall, PlannedOffer } from './plan.ts';
import type { Random } from './random.ts';
import type { Team } from './team.ts';

const RING_TIMEOUT_MS = 20_000;
const OWN_LINE = 0.06;
const THROUGH_MENU = 0.62;
const SALES_DIRECT = 0.3;
const GIVES_UP_IN_MENU = 0.04;
/** How long callers wait on average before they hang up. */
const PATIENCE_MS = 150_000;
const MISSES = 0.05;
const DECLINES = 0.02;

type Arrived = Pick<PlannedCall, 'lineRef' | 'customer' | 'createdAt' | 'externalRef' | 'ivr'>;

export function planInbound(
  random: Random,
  team: Team,
  customer: CastCustomer,
  createdAt: number,
  open: boolean,
): PlannedCall | null {
  const externalRef = random.chance(0.45) ? `order-${random.between(48_000, 52_000)}` : null;
  const base = { customer, createdAt, externalRef };
  if (open && random.chance(OWN_LINE)) return toOwner(random, team, { ...base, lineRef: 'ada', ivr: null });
  if (!open || random.chance(THROUGH_MENU)) return throughMenu(random, team, base, open);
  const sales = random.chance(SALES_DIRECT);
  const queue = queueOf(sales ? 'sales' : 'support');
  return inQueue(
    random,
    team,
    { ...base, lineRef: sales ? 'sales' : 'support', ivr: null },
    queue,
    createdAt,
  );
}

const queueOf = (ref: CastQueue['ref']): CastQueue =>
  castQueues.find((queue) => queue.ref === ref) ?? castQueues[0];

const nothing = {
  direction: 'INBOUND',
  queueRef: null,
  queuedAt: null,
  overflowed: null,
  dialledBy: null,
  dialledAt: null,
  answeredBy: null,
  answeredAt: null,
  hold: null,
  transfer: null,
  monitor: null,
  recording: null,
  stats: null,
} as const;

/** The durations of the menu's audio and of the announcement for closed hours. */
const MENU_MS = 11_800;
const CLOSED_MS = 9_300;

function throughMenu(
  random: Random,
  team: Team,
  base: Omit<Arrived, 'lineRef' | 'ivr'>,
  open: boolean,
): PlannedCall {
  const { createdAt } = base;
  const lineRef = 'main';
  if (!open) {
    const endedAt = createdAt + CLOSED_MS + random.between(0, 400);
    const ivr = { endedAt, key: null, outcome: 'HANGUP' } as const;
    return {
      ...nothing,
      ...base,
      offers: [],
      lineRef,
      ivr,
      endedAt,
      outcome: outcomes.flowHungUp(),
    };
  }
  if (random.chance(GIVES_UP_IN_MENU)) {
    const endedAt = createdAt + random.between(1_500, MENU_MS);
    const ivr = { endedAt, key: null, outcome: 'ABANDONED' } as const;
    const outcome = outcomes.cancelledBy('CUSTOMER');
    return { ...nothing, ...base, offers: [], lineRef, ivr, endedAt, outcome };
  }
  const at = createdAt + random.between(3_500, MENU_MS + 3_000);
  let left = random.next();
  const queue = castQueues.find(({ share }) => (left -= share) <= 0) ?? castQueues[1];
  const ivr = { endedAt: at, key: { input: queue.key, at }, outcome: 'QUEUE' } as const;
  return inQueue(random, team, { ...base, lineRef, ivr }, queue, at);
}

function inQueue(
  random: Random,
  team: Team,
  arrived: Arrived,
  queue: CastQueue,
  queuedAt: number,
): PlannedCall {
  const base = { ...nothing, ...arrived, queueRef: queue.ref, queuedAt };
  const offers: PlannedOffer[] = [];
  const givesUpAt = queuedAt + Math.max(2_500, Math.round(random.around(PATIENCE_MS)));
  let members: readonly CastRef[] = queue.members;
  let overflowed: PlannedCall['overflowed'] = null;
  let leavesAt = queuedAt + queue.maxWaitSeconds * 1000;
  let at = queuedAt + random.between(80, 350);
  for (;;) {
    const free = team.nextFree(members, at, Math.min(givesUpAt, leavesAt));
    const agentRef = free === null ? undefined : team.freeAt(members, free)[0];
    if (free === null || agentRef === undefined) {
      if (givesUpAt <= leavesAt) break;
      if (!queue.overflow || overflowed) {
        const outcome = outcomes.queueTimeout();
        return { ...base, offers, overflowed, endedAt: leavesAt, outcome };
      }
      overflowed = { at: leavesAt, to: queue.overflow };
      const next = queueOf(queue.overflow);
      members = next.members;
      at = leavesAt + 200;
      leavesAt += next.maxWaitSeconds * 1000;
      continue;
    }
    const luck = random.next();
    const missed = luck < MISSES;
    const result = missed ? 'missed' : luck < MISSES + DECLINES ? 'declined' : 'accepted';
    const until = free + (missed ? RING_TIMEOUT_MS : random.between(1_800, 11_000));
    if (until >= givesUpAt) {
      offers.push({ agentRef, at: free, until: givesUpAt, result: 'withdrawn' });
      break;
    }
    offers.push({ agentRef, at: free, until, result });
    if (result === 'accepted') {
      const talk = conversation(random, team, agentRef, until);
      return { ...base, offers, overflowed, ...talk };
    }
    members = members.filter((ref) => ref !== agentRef || missed);
    team.occupy(agentRef, until);
    at = until + 100;
  }
  return { ...base, offers, overflowed, endedAt: givesUpAt, outcome: outcomes.cancelledBy('CUSTOMER') };
}

/** The owner is rung if they are idle; otherwise the caller hears busy immediately. */
function toOwner(random: Random, team: Team, arrived: Arrived): PlannedCall {
  const { createdAt } = arrived;
  const base = { ...nothing, ...arrived, dialledBy: 'ada' } as const;
  const at = createdAt + 120;
  if (team.freeAt(['ada'], at).length === 0) {
    return { ...base, offers: [], endedAt: at, outcome: outcomes.ownerBusy(), stats: statsOf(random, 0, 0) };
  }
  if (random.chance(0.12)) {
    const until = at + RING_TIMEOUT_MS;
    const offers: PlannedOffer[] = [{ agentRef: 'ada', at, until, result: 'missed' }];
    return { ...base, offers, endedAt: until, outcome: outcomes.ownerDidNotAnswer() };
  }
  const until = at + random.between(2_000, 12_000);
  const offers: PlannedOffer[] = [{ agentRef: 'ada', at, until, result: 'accepted' }];
  return { ...base, offers, ...conversation(random, team, 'ada', until) };
}
