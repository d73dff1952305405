/** The short form of `npm run prove -- races`. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accept,
  AGENTS,
  DEVICES_EACH,
  judge,
  makeFixture,
  ringEverybody,
} from './__fixtures__/ring-all-race.ts';

const RACES = 4;

let testDatabase: TestDatabase;
let processes: Database[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  processes = [testDatabase.connect(), testDatabase.connect()];
});
afterAll(() => testDatabase.drop());

test('of fifty devices that accept concurrently exactly one gets the call, and one agent is reserved', async () => {
  const [one, two] = processes;
  if (!one || !two) throw new Error('no databases');
  const fixture = await makeFixture(one);
  for (let race = 0; race < RACES; race += 1) {
    const devices = await ringEverybody(one, fixture);
    expect(devices).toHaveLength(AGENTS * DEVICES_EACH);
    const has = await Promise.all(
      devices.map((device, index) => accept(index % 2 === 0 ? one : two, device)),
    );
    expect(
      await judge(
        one,
        fixture,
        devices.filter((_, index) => has[index]),
      ),
    ).toEqual([]);
  }
});
