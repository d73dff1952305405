/**
 * Matches waiting calls with idle agents: reads the queues in one statement, plans the offers (pure), and makes each in a transaction of
 * its own, oldest call first, so that an agent is rung as soon as their offer is stored. No lock: reservations and steps are conditional, and
 * whatever changed since the read means that the queues are read again. Queues that share agents are planned together.
 */
import { setTimeout } from 'node:timers/promises';
import type { Database } from '@clarion/db';
import { planOffers } from '../queue-routing/plan.ts';
import type { Plan } from '../queue-routing/plan.ts';
import { VersionConflict } from '../retry-on-conflict.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { FEW, readDispatch } from './dispatch-view.ts';
import type { DispatchedQueue, DispatchView } from './dispatch-view.ts';
import { offerCall } from './offer-call.ts';
import { stepCall } from './step-call.ts';

/** Another dispatch has made progress at each conflict, so this many in a row indicate a bug. They take at least two seconds. */
const MAX_CONFLICTS = 20;
/**
 * Pause after a conflict, doubled by each further one up to the maximum. The dispatch that was faster has read the younger calls as well, so
 * without a pause the slower one would conflict with each of its offers.
 */
const PAUSE_MS = 20;
const MAX_PAUSE_MS = 160;

export interface DispatchOptions extends CommitOptions {
  clock: () => Date;
  /** Called after each commit, with the effects to run. */
  onCommitted: (pending: Pending) => void;
}

/** Dispatches one queue at a fixed time. @returns the effects to run, for each call that was stepped */
export async function dispatchQueue(
  db: Database,
  queueId: number,
  now: Date,
  options: CommitOptions = { runsEffects: false },
): Promise<Pending[]> {
  const pending: Pending[] = [];
  const onCommitted = (made: Pending) => pending.push(made);
  await dispatchQueues(db, [queueId], { ...options, clock: () => now, onCommitted });
  return pending;
}

/** Offers the waiting calls of these queues until no idle agent is eligible for one. */
export async function dispatchQueues(
  db: Database,
  queueIds: readonly number[],
  options: DispatchOptions,
): Promise<void> {
  let conflicts = 0;
  for (;;) {
    const { view, plan } = await readAndPlan(db, queueIds, options.clock());
    await leaveDeleted(db, view.orphaned, options);
    const made = await makeOffers(db, view.queues, plan, options);
    if (made === plan.offers.length && (made === 0 || isComplete(view))) return;
    if (made > 0) {
      conflicts = 0;
      continue;
    }
    conflicts += 1;
    if (conflicts >= MAX_CONFLICTS)
      throw new VersionConflict(`queues ${queueIds.join(', ')} changed at every dispatch`);
    await setTimeout(pauseAfter(conflicts));
  }
}

/** The queues among these that have an offer to make or a call to move on, in one statement for all of them. */
export async function queuesToDispatch(
  db: Database,
  queueIds: readonly number[],
  now: Date,
): Promise<number[]> {
  if (queueIds.length === 0) return [];
  const { view, plan } = await readAndPlan(db, queueIds, now);
  return [...new Set([...plan.offers, ...view.orphaned].map(({ queueId }) => queueId))];
}

async function readAndPlan(
  db: Database,
  queueIds: readonly number[],
  now: Date,
): Promise<{ view: DispatchView; plan: Plan }> {
  const view = await readDispatch(db, queueIds, now, FEW);
  const plan = planOffers(view.queues);
  if (!plan.uncertain) return { view, plan };
  const whole = await readDispatch(db, queueIds, now, null);
  return { view: whole, plan: planOffers(whole.queues) };
}

/** Random, so that several processes do not stay in step. */
const pauseAfter = (conflicts: number): number =>
  Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (conflicts - 1)) * (0.5 + Math.random());

/** @returns how many offers were made: all, or as many as a read is current for, or those before one conflicted */
async function makeOffers(
  db: Database,
  queues: readonly DispatchedQueue[],
  { offers }: Plan,
  { clock, onCommitted, ...options }: DispatchOptions,
): Promise<number> {
  for (const [index, offer] of offers.slice(0, FEW).entries()) {
    const queue = queues.find(({ queueId }) => queueId === offer.queueId);
    if (!queue) throw new Error(`queue ${offer.queueId} was not read`);
    const outcome = await offerCall(db, queue, offer, clock, options);
    if (outcome.kind === 'changed') return index;
    if (outcome.pending) onCommitted(outcome.pending);
  }
  return Math.min(offers.length, FEW);
}

/**
 * No call was cut off: calls and agents that came since have a dispatch of their own, and a plan that more idle agents could change is made from
 * a read of all of them.
 */
const isComplete = ({ queues }: DispatchView): boolean =>
  queues.every(({ showsCallsTo }) => showsCallsTo === null);

/**
 * Calls keep the overflow chain with which they were created, and one of its queues may have been deleted before they reached it. There
 * they would wait for ever. If there are many, the next dispatch moves the rest.
 */
async function leaveDeleted(
  db: Database,
  orphaned: DispatchView['orphaned'],
  { clock, onCommitted, ...options }: DispatchOptions,
): Promise<void> {
  for (const { callId, queueId } of orphaned) {
    const stepped = await stepCall(db, callId, { type: 'queue-gone', queueId }, clock(), options);
    if (stepped.kind === 'stepped' && stepped.pending) onCommitted(stepped.pending);
  }
}
