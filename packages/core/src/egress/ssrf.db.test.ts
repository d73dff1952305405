/** The short form of `npm run prove -- ssrf`. */
import { createTestDatabase } from '@clarion/db/testing';
import { attack, attackComplaints } from '@clarion/testkit/attacks/ssrf-attack';
import { expect, test } from 'vitest';

test('through webhook and lookup URLs nobody reaches our own network, when they are saved or when they are called', async () => {
  const database = await createTestDatabase();
  try {
    const result = await attack(database.url, { every: 3 });
    expect(attackComplaints(result)).toEqual([]);
    expect(result.urls).toBeGreaterThan(180);
  } finally {
    await database.drop();
  }
}, 60_000);
