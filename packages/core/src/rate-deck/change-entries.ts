/**
 * Manual changes of the prices of a deck (docs/requirements.md#prices). The price of a prefix is a series of entries without overlaps; the
 * deck is locked while it changes, and an exclusion constraint of the database would reject an overlap.
 */
import { ApiError } from '@clarion/protocol';
import type { RateDeck, RateEntry } from '@clarion/db';
import type {
  CreateRateEntry,
  PutRateEntry,
  RateEntryResource,
} from '@clarion/protocol/v1/price/rate-entries';
import { audit, inTransaction } from '../context.ts';
import type { AuditedChange } from '../context.ts';
import type { DeckCtx } from './deck-of.ts';
import { entryOf, lockDeck } from './deck-of.ts';
import { notEnded } from './entry-filter.ts';
import { presentEntry } from './present.ts';

/** Sets the first price of a prefix, from now on. @throws 404; 409 exists, naming `prefix` */
export async function createRateEntry(
  ctx: DeckCtx,
  deckId: number,
  input: CreateRateEntry,
): Promise<RateEntryResource> {
  return inTransaction(ctx, async (inner) => {
    const { db, now } = inner;
    const deck = await lockDeck(inner, deckId);
    const priced = await db.rateEntry.findFirst({
      where: { deckId, prefix: input.prefix, ...notEnded(now) },
    });
    if (priced) {
      const details = { field: 'prefix' };
      throw new ApiError('exists', { message: `Prefix ${input.prefix} already has a price.`, details });
    }
    const entry = await db.rateEntry.create({ data: { ...input, deckId, effectiveFrom: now } });
    await record(inner, deck, 'rate_entry.create', {
      entry,
      added: 1,
      note: `Prefix ${entry.prefix} costs ${entry.rate.toFixed()}.`,
    });
    return presentEntry(entry);
  });
}

/**
 * Changes a price. An entry in force ends now, and a new one begins that ends when the old one would have; a scheduled entry is changed in
 * place.
 *
 * @throws 404; 400 unchanged; 409 ended
 */
export async function putRateEntry(
  ctx: DeckCtx,
  deckId: number,
  id: number,
  input: PutRateEntry,
): Promise<RateEntryResource> {
  return inTransaction(ctx, async (inner) => {
    const { db, now } = inner;
    const deck = await lockDeck(inner, deckId);
    const old = await entryOf(inner, deck, id);
    assertNotEnded(old, now);
    if (isSame(old, input)) throw new ApiError('unchanged');
    const entry = hasBegun(old, now)
      ? await replace(inner, old, input)
      : await db.rateEntry.update({ where: { id }, data: input });
    await record(inner, deck, 'rate_entry.put', {
      entry,
      changed: 1,
      note: `Prefix ${entry.prefix} costs ${entry.rate.toFixed()} instead of ${old.rate.toFixed()}.`,
    });
    return presentEntry(entry);
  });
}

/**
 * Ends an entry in force, or removes a scheduled one: the price before it, which would have ended when it begins, then goes on.
 *
 * @returns the entry as it ended, or as it was
 * @throws 404; 409 ended
 */
export async function deleteRateEntry(ctx: DeckCtx, deckId: number, id: number): Promise<RateEntryResource> {
  return inTransaction(ctx, async (inner) => {
    const { db, now } = inner;
    const deck = await lockDeck(inner, deckId);
    const old = await entryOf(inner, deck, id);
    assertNotEnded(old, now);
    const entry = hasBegun(old, now)
      ? await db.rateEntry.update({ where: { id }, data: { effectiveTo: now } })
      : await removeScheduled(inner, old);
    await record(inner, deck, 'rate_entry.delete', {
      entry,
      ended: 1,
      note: hasBegun(old, now)
        ? `Prefix ${entry.prefix} has no price any more.`
        : `The price ${entry.rate.toFixed()} of prefix ${entry.prefix} will not take effect.`,
    });
    return presentEntry(entry);
  });
}

/** An entry that begins at this very moment has not priced anything yet, and an entry cannot end when it begins. */
const hasBegun = ({ effectiveFrom }: RateEntry, now: Date): boolean => effectiveFrom < now;

function assertNotEnded({ effectiveTo }: RateEntry, now: Date): void {
  if (effectiveTo !== null && effectiveTo <= now) throw new ApiError('ended');
}

const isSame = (entry: RateEntry, input: PutRateEntry): boolean =>
  entry.destination === input.destination &&
  entry.rate.equals(input.rate) &&
  entry.connectionFee.equals(input.connectionFee) &&
  entry.initialSeconds === input.initialSeconds &&
  entry.incrementSeconds === input.incrementSeconds;

async function replace({ db, now }: DeckCtx, old: RateEntry, input: PutRateEntry): Promise<RateEntry> {
  const { id, deckId, prefix, effectiveTo } = old;
  await db.rateEntry.update({ where: { id }, data: { effectiveTo: now } });
  return db.rateEntry.create({ data: { ...input, deckId, prefix, effectiveFrom: now, effectiveTo } });
}

async function removeScheduled({ db }: DeckCtx, entry: RateEntry): Promise<RateEntry> {
  const { id, deckId, prefix, effectiveFrom, effectiveTo } = entry;
  await db.rateEntry.delete({ where: { id } });
  await db.rateEntry.updateMany({
    where: { deckId, prefix, effectiveTo: effectiveFrom },
    data: { effectiveTo },
  });
  return entry;
}

interface Edit {
  entry: RateEntry;
  note: string;
  added?: number;
  changed?: number;
  ended?: number;
}

/** In the deck's log of imports and in the audit log. */
async function record(
  ctx: DeckCtx,
  deck: RateDeck,
  action: AuditedChange['action'],
  { entry, note, added = 0, changed = 0, ended = 0 }: Edit,
): Promise<void> {
  await ctx.db.rateImport.create({
    data: {
      deckId: deck.id,
      kind: 'EDIT',
      note,
      rows: 1,
      added,
      changed,
      ended,
      unchanged: 0,
      skipped: 0,
      createdAt: ctx.now,
    },
  });
  await audit(ctx, { action, target: String(deck.id), details: { prefix: entry.prefix, note } });
}
