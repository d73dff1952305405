/** A deck as carriers send them: prefixes within prefixes, a few thousand rates, one kind of block for each destination. */
import type { Database } from '@clarion/db';
import { poolOf } from '@clarion/db';
import { seeded } from '@clarion/test-phone/random';

const STEMS = 300;
const RATES = 6_000;
const BLOCKS = [
  [60, 60],
  [30, 6],
  [1, 1],
] as const;
const BATCH = 20_000;
const NUMBER_DIGITS = 12;
/** Prices began at the beginning of one of so many days. */
const DAYS = 300;
const DAY_MS = 86_400_000;

const INSERT = `
  insert into "RateEntry" ("deckId", "prefix", "rate", "initialSeconds", "incrementSeconds", "connectionFee", "effectiveFrom")
  select $1, p, r, i, n, 0, f from unnest($2::text[], $3::numeric[], $4::int[], $5::int[], $6::timestamptz[]) as t(p, r, i, n, f)`;

export interface FilledDeck {
  deckId: number;
  /** Numbers within the deck's prefixes, and some without a price. */
  numbers: string[];
}

export async function fillDeck(db: Database, entries: number, numberCount: number): Promise<FilledDeck> {
  const next = seeded(1);
  const below = (count: number) => Math.floor(next() * count);
  const today = Math.floor(Date.now() / DAY_MS);
  const digits = (length: number) => Array.from({ length }, () => below(10)).join('');
  const consumer = await db.consumer.create({ data: { slug: 'bench', name: 'Bench' } });
  const deck = await db.rateDeck.create({
    data: { consumerId: consumer.id, name: 'Carrier', currency: 'USD', kind: 'BUY' },
  });
  const stems = Array.from({ length: STEMS }, () => `${1 + below(9)}${digits(1 + below(3))}`);
  const prefixes = new Set<string>();
  while (prefixes.size < entries) prefixes.add((stems[below(STEMS)] ?? '') + digits(below(6)));
  const list = [...prefixes];
  for (let first = 0; first < list.length; first += BATCH) {
    const batch = list.slice(first, first + BATCH);
    const blocks = batch.map((prefix) => BLOCKS[Number(prefix[1]) % BLOCKS.length] ?? BLOCKS[0]);
    await poolOf(db).query(INSERT, [
      deck.id,
      batch,
      batch.map(() => (below(RATES) / 10_000).toFixed(4)),
      blocks.map(([initial]) => initial),
      blocks.map(([, increment]) => increment),
      batch.map(() => new Date((today - below(DAYS)) * DAY_MS).toISOString()),
    ]);
  }
  await poolOf(db).query('vacuum analyze "RateEntry"');
  const numbers = Array.from({ length: numberCount }, (_, i) => {
    const start = i % 20 === 0 ? '' : (list[below(list.length)] ?? '');
    return (start + digits(NUMBER_DIGITS)).slice(0, NUMBER_DIGITS);
  });
  return { deckId: deck.id, numbers };
}
