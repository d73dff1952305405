/** Rows of rate decks → resources. */
import type { RateDeck, RateEntry, RateImport } from '@clarion/db';
import type { RateDeckResource } from '@clarion/protocol/v1/price/rate-decks';
import type { RateEntryResource } from '@clarion/protocol/v1/price/rate-entries';
import type { RateImportResource } from '@clarion/protocol/v1/price/rate-import-resources';

export const presentDeck = (deck: RateDeck): RateDeckResource => ({
  id: deck.id,
  name: deck.name,
  currency: deck.currency,
  kind: deck.kind,
  description: deck.description,
  createdAt: deck.createdAt.toISOString(),
  updatedAt: deck.updatedAt.toISOString(),
});

export const presentEntry = (entry: RateEntry): RateEntryResource => ({
  id: entry.id,
  prefix: entry.prefix,
  destination: entry.destination,
  rate: entry.rate.toFixed(),
  initialSeconds: entry.initialSeconds,
  incrementSeconds: entry.incrementSeconds,
  connectionFee: entry.connectionFee.toFixed(),
  effectiveFrom: entry.effectiveFrom.toISOString(),
  effectiveTo: entry.effectiveTo?.toISOString() ?? null,
});

export const presentImport = (row: RateImport): RateImportResource => ({
  id: row.id,
  kind: row.kind,
  mode: row.mode,
  fileName: row.fileName,
  note: row.note,
  rows: row.rows,
  added: row.added,
  changed: row.changed,
  ended: row.ended,
  unchanged: row.unchanged,
  skipped: row.skipped,
  createdAt: row.createdAt.toISOString(),
});
