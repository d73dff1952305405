/** A rate deck of an account of its own, and its verbs. */
import { randomBytes } from 'node:crypto';
import type { Database, Prisma } from '@clarion/db';
import { createRateEntryBody, putRateEntryBody } from '@clarion/protocol/v1/price/rate-entries';
import { importRateDeckBody } from '@clarion/protocol/v1/price/rate-imports';
import { createStore } from '@clarion/store/store';
import { pino } from 'pino';
import type { Ctx } from '../../context.ts';
import { createRateEntry, deleteRateEntry, putRateEntry } from '../../rate-deck/change-entries.ts';
import { createRateDeck, deleteRateDeck } from '../../rate-deck/decks.ts';
import { importRateDeck } from '../../rate-deck/import/import-rate-deck.ts';
import { createSecretBox } from '../../security/secret-box.ts';

const secrets = createSecretBox([randomBytes(32).toString('base64')]);
const baseUrl = 'https://clarion.example';

export async function rateDeck(db: Database) {
  const slug = `acme-${randomBytes(4).toString('hex')}`;
  const consumer = await db.consumer.create({ data: { slug, name: 'Acme' } });
  const ctx = (now = new Date()): Ctx => ({
    consumer,
    actor: { kind: 'job', id: 'test' },
    surface: 'job',
    db,
    now,
    log: pino({ level: 'silent' }),
    secrets,
    store: createStore({ provider: 'local', dataDir: '/nonexistent', s3: null }, { secrets, baseUrl }),
    settings: { baseUrl, ingressDomain: null, allowPrivateEgress: false, operatorName: 'Operator' },
  });
  const { id } = await createRateDeck(ctx(), {
    name: 'Carrier',
    kind: 'BUY',
    description: null,
    currency: 'USD',
  });
  return {
    id,
    create: (prefix: string, rate: string) =>
      createRateEntry(ctx(), id, createRateEntryBody.parse({ prefix, rate })),
    put: (entryId: number, rate: string) =>
      putRateEntry(ctx(), id, entryId, putRateEntryBody.parse({ rate })),
    remove: (entryId: number) => deleteRateEntry(ctx(), id, entryId),
    async import(csv: string, now = new Date()) {
      const prepared = await importRateDeck(ctx(now), id, importRateDeckBody.parse({ csv }));
      return prepared.commit(ctx(now));
    },
    delete: () => deleteRateDeck(ctx(), id),
    /** Entries without the deck's log, and so without a notification. */
    insert: (
      rows: Omit<
        Prisma.RateEntryCreateManyInput,
        'deckId' | 'initialSeconds' | 'incrementSeconds' | 'connectionFee'
      >[],
    ) =>
      db.rateEntry.createMany({
        data: rows.map((row) => ({
          deckId: id,
          initialSeconds: 60,
          incrementSeconds: 6,
          connectionFee: '0.05',
          ...row,
        })),
      }),
    /** As `insert`: prefixes of six digits from 100001 on, for a rate of 1. */
    fill: (count: number) => db.$executeRaw`
      insert into "RateEntry" ("deckId", "prefix", "rate", "initialSeconds", "incrementSeconds", "connectionFee", "effectiveFrom")
      select ${id}, (100000 + n)::text, 1, 60, 60, 0, now() - interval '1 hour' from generate_series(1, ${count}::int) as n`,
    /** As `insert`: whoever still knows the prices has them in memory. */
    clear: () => db.rateEntry.deleteMany({ where: { deckId: id } }),
  };
}
