/**
 * Carrier behaviours, each with the RFC sections that allow it, in real calls with a tone at each end. In all of them, both ends hear each
 * other within a second of the last agreed description, the call ends once, and no state remains.
 */
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestStack } from '@clarion/testkit/stack/stack';
import { answeringInRows } from './carrier/answering-in-rows.ts';
import { answeringOutRows } from './carrier/answering-out-rows.ts';
import { dtmfRows } from './carrier/dtmf-rows.ts';
import { earlyMediaRows } from './carrier/early-media-rows.ts';
import { endingRows } from './carrier/ending-rows.ts';
import { holdRows } from './carrier/hold-rows.ts';
import { oddMessageRows } from './carrier/odd-message-rows.ts';
import { rtpRows } from './carrier/rtp-rows.ts';
import { sessionRows } from './carrier/session-rows.ts';
import { playRow, type CarrierRow } from './carrier/talk.ts';
import { runCarrier } from '../../prove/carrier/run.ts';
import { routeCustomers } from './outcomes/phone-scene.ts';
import { SideBySide, within } from './side-by-side.ts';

const tables: [string, CarrierRow[]][] = [
  ['a carrier that calls', answeringInRows],
  ['a carrier that is called', answeringOutRows],
  ['before the answer, a carrier', earlyMediaRows],
  ['within a call, a carrier', sessionRows],
  ['on hold, a carrier', holdRows],
  ['for DTMF, a carrier', dtmfRows],
  ['with its audio, a carrier', rtpRows],
  ['at the end of a call, a carrier', endingRows],
  ['with unusual messages, a carrier', oddMessageRows],
];
/** These rows measure audio within a second, so fewer run concurrently than rows that mostly wait. */
const ROWS_AT_ONCE = 2 * availableParallelism() + 1;
const ROW_WITHIN_MS = 30_000;
const LEAST_BEHAVIOURS = 60;
/** The same random carriers in each run. `npm run prove -- carrier` runs many others. */
const SEED = 1;
const RANDOM_CALLS = 18;
const RELEASED_WITHIN_MS = 5_000;

let t: TestStack;
let played: SideBySide<CarrierRow>;

beforeAll(async () => {
  t = await TestStack.share();
  routeCustomers(t);
  played = new SideBySide(
    tables.flatMap(([, rows]) => rows),
    (row) => within(ROW_WITHIN_MS, playRow(t, row)),
    ROWS_AT_ONCE,
  );
});
afterAll(async () => {
  await played?.all();
  await t?.stop();
});

describe.each(tables)('%s', (_, rows) => {
  test.each(rows)('$behaviour ($cites)', async (row) => {
    await played.of(row);
  });
});

test('each behaviour cites the sections that allow it, and all behaviours are different', () => {
  const rows = tables.flatMap(([, each]) => each);
  expect(rows.length).toBeGreaterThanOrEqual(LEAST_BEHAVIOURS);
  expect(rows.filter(({ cites }) => !/^RFC \d+ §/.test(cites))).toEqual([]);
  expect(new Set(rows.map(({ behaviour }) => behaviour)).size).toBe(rows.length);
});

test('calls with random carriers end once, leave no state behind, and have audio within a second of each agreed description', async () => {
  await played.all();
  const { wrong } = await runCarrier(
    t,
    { calls: RANDOM_CALLS, seed: SEED, atOnce: ROWS_AT_ONCE, replays: 0 },
    () => undefined,
  );
  expect(wrong).toEqual([]);
});

test('the media node has no leg and no port left when all calls have ended', async () => {
  await played.all();
  const left = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${t.stack.ports.media}/metrics`)).text();
    return ['legs', 'rtp_port_pairs'].map((name) =>
      Number(new RegExp(`^clarion_media_${name} (\\d+)`, 'm').exec(metrics)?.[1]),
    );
  };
  await expect.poll(left, { timeout: RELEASED_WITHIN_MS }).toEqual([0, 0]);
});
