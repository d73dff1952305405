/** The example of the guide to pricing and billing (packages/docs/content/guides/billing.md), calculated by the service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PaidCalls } from './__fixtures__/paid-calls.ts';

const GUIDE = join(import.meta.dirname, '../../../docs/content/guides/billing.md');

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

/** [when, balance, reserved] of each row. */
function rowsOfGuide(): string[][] {
  const lines = readFileSync(GUIDE, 'utf8').split('\n');
  const heading = lines.findIndex((line) => /^> \| Time\s+\|/.test(line));
  const rows = lines.slice(heading + 2, heading + 2 + 5);
  return rows.map((line) => {
    const [, when = '', , balance = '', reserved = ''] = line.split('|').map((cell) => cell.trim());
    return [when, balance, reserved];
  });
}

test('the guide shows the balance and the reserved amount as they are', async () => {
  const db = testDatabase.connect();
  const calls = await PaidCalls.create(db);
  await calls.open('TENANT', null, { balance: '1' });
  const entry = {
    prefix: '44',
    rate: '0.06',
    connectionFee: '0.01',
    initialSeconds: 30,
    incrementSeconds: 6,
  };
  const deck = await db.rateDeck.create({
    data: {
      ...{ consumerId: calls.consumer.id, name: 'sell', kind: 'SELL', currency: 'USD' },
      entries: { create: { ...entry, effectiveFrom: new Date('2026-01-01') } },
    },
  });
  const plan = await db.pricePlan.create({
    data: {
      ...{ consumerId: calls.consumer.id, name: 'plan', currency: 'USD' },
      items: {
        create: {
          ...{ kind: 'CALL', method: 'DECK', position: 0, deckId: deck.id },
          ...{ initialSeconds: 60, incrementSeconds: 60 },
        },
      },
    },
  });
  await db.tenant.update({ where: { id: calls.tenant.id }, data: { pricePlanId: plan.id } });

  const shown: string[][] = [];
  const show = async (when: string) => shown.push([when, ...(await calls.funds('TENANT'))]);
  const callId = await calls.create();
  await show('the intent is created');
  await calls.connect(callId);
  const answeredAt = calls.now;
  await show('answered');
  for (const seconds of [20, 74]) {
    calls.now = answeredAt + seconds * 1000;
    await calls.extend(callId);
    await show(`${seconds} s after the answer`);
  }
  calls.now = answeredAt + 100_400;
  await calls.hangUp(callId);
  await show('hung up after 100.4 s');
  expect(shown).toEqual(rowsOfGuide());
});
