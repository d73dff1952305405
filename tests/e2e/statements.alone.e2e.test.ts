/**
 * What each type of call costs the database: counted by the server, without what idle processes execute. Meanwhile, a call on a network that
 * loses packets takes place on other processes, with a database of their own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestStack } from '@clarion/testkit/stack/stack';
import {
  countAll,
  countByProcess,
  executedBetween,
  withoutIdle,
  type Executed,
  type Reading,
} from '@clarion/testkit/stack/statement-counter';
import { openSite, type Site } from './cost/calls.ts';
import { CEILINGS, type CallType } from './cost/ceilings.ts';
import { charges, owed, setPrices } from './cost/prices.ts';
import { lossyCall, type LossyCall } from './quality/lossy-call.ts';

/** Enough that the periodic jobs of one minute add little to each call. */
const CALLS_OF_EACH_TYPE = 10;
/** Long against the slowest frequent work of idle processes, the heartbeats. */
const IDLE_MS = 10_000;
/** A stretch with as few statements more than idle counts as rest. */
const REST_MS = 1_000;
const REST_STATEMENTS = 3;
const REST_WITHIN_MS = 20_000;
const STATEMENTS_LISTED = 15;
/** Between the loss in the call detail and that of the network. */
const CLOSE_PERCENT = 2;
const TYPES = Object.keys(CEILINGS) as CallType[];

let t: TestStack;
let site: Site;
let idle: Executed;
/** After the calls of the last type. */
let rested: Reading | undefined;
let onLossyNetwork: Promise<LossyCall>;

beforeAll(async () => {
  t = await TestStack.boot({ countStatements: true, env: { CLARION_LOG_LEVEL: 'warn' } });
  site = await openSite(t);
  await setPrices(t);
  for (const type of TYPES) await site.play[type](); // fills what the processes cache
  onLossyNetwork = lossyCall();
  onLossyNetwork.catch(() => undefined); // reported by its test
  const start = await t.statements.read();
  await sleep(IDLE_MS);
  idle = executedBetween(start, await t.statements.read());
});
afterAll(async () => {
  await Promise.allSettled([onLossyNetwork]);
  await t?.stop();
});

/** The first reading after all work that the calls have left behind. */
async function atRest(): Promise<Reading> {
  const deadline = performance.now() + REST_WITHIN_MS;
  for (let last = await t.statements.read(); ;) {
    await sleep(REST_MS);
    const next = await t.statements.read();
    const { statements } = countAll(withoutIdle(executedBetween(last, next), idle));
    if (statements <= REST_STATEMENTS) return next;
    if (performance.now() > deadline)
      throw new Error(`still ${statements} statements a second more than idle`);
    last = next;
  }
}

const perCall = (count: number) => Math.round((count / CALLS_OF_EACH_TYPE) * 10) / 10;

/** For the message of a failure: the most frequent statements of a call. */
const listed = ({ rows }: Executed): string =>
  rows
    .toSorted((a, b) => b.calls - a.calls)
    .slice(0, STATEMENTS_LISTED)
    .map(
      ({ process, query, calls }) =>
        `${perCall(calls)} ${process}: ${query.replace(/\s+/g, ' ').slice(0, 160)}`,
    )
    .join('\n');

test.each(TYPES)('a call of type %s stays below its ceiling of statements', async (type) => {
  const before = rested ?? (await atRest());
  for (let played = 0; played < CALLS_OF_EACH_TYPE; played += 1) await site.play[type]();
  rested = await atRest();
  const executed = withoutIdle(executedBetween(before, rested), idle);
  const { statements, commits } = countAll(executed);
  const byProcess = Object.entries(countByProcess(executed)).map(
    ([name, count]) => `${name} ${perCall(count.statements)}`,
  );
  const detail = `${type}: ${perCall(statements)} statements (${byProcess.join(', ')}), ${perCall(commits)} commits\n${listed(executed)}`;
  if (process.env.CLARION_TEST_LOG) process.stderr.write(`${detail}\n`);
  expect(statements, 'nothing was counted').toBeGreaterThan(0);
  expect(perCall(statements), detail).toBeLessThanOrEqual(CEILINGS[type].statements);
  expect(perCall(commits), detail).toBeLessThanOrEqual(CEILINGS[type].commits);
});

test('these calls had a price and were charged, which cost no statement', async () => {
  const played = 1 + CALLS_OF_EACH_TYPE;
  const answered = TYPES.filter((type) => type !== 'abandoned').length * played;
  const charged = await charges(t);
  expect(charged.filter((amount) => amount === '0.06')).toHaveLength(answered);
  expect(charged.filter((amount) => amount === '0')).toHaveLength(played);
  expect(await owed(t)).toBe(String((answered * 6) / 100));
});

test('the loss of a tenth of the customer’s packets is in the call detail, with a lower score than for the agent', async () => {
  const { legs, lostPercent } = await onLossyNetwork;
  const customer = legs.find(({ type }) => type === 'CUSTOMER')?.quality;
  const other = legs.find(({ type }) => type === 'AGENT')?.quality;
  expect(Math.abs((customer?.lossPercent ?? 0) - lostPercent)).toBeLessThan(CLOSE_PERCENT);
  expect(customer).toMatchObject({ codec: 'PCMA' });
  expect(other).toMatchObject({ codec: 'PCMA', lossPercent: 0, mos: expect.closeTo(4.4, 1) });
  expect(customer?.mos).toBeLessThan(3.7);
});
