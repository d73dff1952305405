import { createTestDatabase } from '@clarion/db/testing';
import { expect, test } from 'vitest';
import { recount } from './recount.ts';
import { runMonthEnd } from './run.ts';

/** The short form of `npm run prove -- month-end`. */
test('a month that killed runs have begun is invoiced to the cent, once, and with every number', async () => {
  const database = await createTestDatabase();
  try {
    const db = database.connect();
    const plan = { tenants: 300, records: 9_000, kills: 3, killWithinMs: 150, seed: 7, batch: 5 };
    const { invoices, kills, wrong } = await runMonthEnd(db, database.url, plan);
    expect(wrong).toEqual([]);
    expect(invoices).toBeGreaterThan(250);
    expect(kills).toBeGreaterThan(0);
    await db.$executeRaw`update "Invoice" set "total" = "total" + 0.01 where "id" = (select min("id") from "Invoice")`;
    await db.$executeRaw`update "Invoice" set "number" = 'CL-999999' where "id" = (select max("id") from "Invoice")`;
    expect(await recount(db)).toEqual([
      expect.stringContaining('the total is not that of the usage'),
      expect.stringContaining('a number is missing'),
      expect.stringContaining('the balance is not the total'),
    ]);
  } finally {
    await database.drop();
  }
});
