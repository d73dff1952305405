/** The short form of `npm run prove -- events`. */
import { createTestDatabase } from '@clarion/db/testing';
import { deliveryStorm, stormComplaints } from '@clarion/testkit/load/delivery-storm';
import { expect, test } from 'vitest';

test('with slow and dead endpoints and a killed worker, healthy endpoints lose no event and little time', async () => {
  const database = await createTestDatabase();
  try {
    const plan = { events: 1_000, healthy: 4, slow: 1, dead: 1, seconds: 8, killAtSecond: 3 };
    const result = await deliveryStorm(database.url, plan);
    expect(stormComplaints(result)).toEqual([]);
    expect(result.recordedForHealthy).toBeGreaterThan(600);
    expect(result.slowAttempts).toBeGreaterThan(0);
  } finally {
    await database.drop();
  }
}, 60_000);
