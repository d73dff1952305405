/** Commands that change single prices of a rate deck. */
import { Option } from 'commander';
import type { Command } from 'commander';
import { createRateEntry, deleteRateEntry, putRateEntry } from '@clarion/core/rate-deck/change-entries';
import type { DeckCtx } from '@clarion/core/rate-deck/deck-of';
import { listRateEntries } from '@clarion/core/rate-deck/find-entries';
import { notFound } from '@clarion/protocol';
import {
  createRateEntryBody,
  listRateEntriesQuery,
  putRateEntryBody,
} from '@clarion/protocol/v1/price/rate-entries';
import type { RateEntryResource } from '@clarion/protocol/v1/price/rate-entries';
import { deckOptions, ownerOf } from './deck-options.ts';
import type { DeckOptions } from './deck-options.ts';
import { parsed, wholeNumber, withoutUndefined } from './options.ts';
import type { Add } from './options.ts';

interface EntryOptions extends DeckOptions {
  prefix: string;
  rate?: string;
  destination?: string;
  initialSeconds?: number;
  incrementSeconds?: number;
  connectionFee?: string;
}

const prefix = new Option('--prefix <digits>', 'prefix of international numbers').makeOptionMandatory();

export function addDeckEntryCommands(deck: Command, add: Add): void {
  const entry = deck.command('entry').description('Single prices of a rate deck.');
  add<EntryOptions>(
    entry,
    'set',
    'set the price of a prefix from now on; options that are not given stay as they are',
    [
      ...deckOptions,
      prefix,
      new Option('--rate <amount>', 'price per minute; required for a new prefix'),
      new Option('--destination <name>', 'name of the destination'),
      new Option('--initial-seconds <n>', 'first billing block').argParser(wholeNumber),
      new Option('--increment-seconds <n>', 'further billing blocks').argParser(wholeNumber),
      new Option('--connection-fee <amount>', 'fee of an answered call'),
    ],
    async (ctx, options) => {
      const deckCtx = await ownerOf(ctx, options);
      const before = await entryOf(deckCtx, options);
      const { rate, destination, initialSeconds, incrementSeconds, connectionFee } = options;
      const given = withoutUndefined({
        rate,
        destination,
        initial_seconds: initialSeconds,
        increment_seconds: incrementSeconds,
        connection_fee: connectionFee,
      });
      if (before === null) {
        const body = parsed(createRateEntryBody, { prefix: options.prefix, ...given });
        return createRateEntry(deckCtx, options.id, body);
      }
      return putRateEntry(
        deckCtx,
        options.id,
        before.id,
        parsed(putRateEntryBody, { ...sentOf(before), ...given }),
      );
    },
  );
  add<EntryOptions>(
    entry,
    'delete',
    'end the price of a prefix now, or remove the scheduled one',
    [...deckOptions, prefix],
    async (ctx, options) => {
      const deckCtx = await ownerOf(ctx, options);
      const before = await entryOf(deckCtx, options);
      if (before === null) throw notFound(`The price of prefix ${options.prefix}`);
      return deleteRateEntry(deckCtx, options.id, before.id);
    },
  );
}

/** The price of the prefix that is in force; otherwise the one that takes effect next. */
async function entryOf(
  deckCtx: DeckCtx,
  { id, prefix: chosen }: EntryOptions,
): Promise<RateEntryResource | null> {
  const digits = chosen.replace(/^\+/, '');
  const query = parsed(listRateEntriesQuery, { q: `+${digits}` });
  const { entries } = await listRateEntries(deckCtx, id, query);
  const [first] = entries
    .filter((entry) => entry.prefix === digits)
    .toSorted((a, b) => a.effectiveFrom.localeCompare(b.effectiveFrom));
  return first ?? null;
}

const sentOf = (entry: RateEntryResource) => ({
  rate: entry.rate,
  destination: entry.destination,
  initial_seconds: entry.initialSeconds,
  increment_seconds: entry.incrementSeconds,
  connection_fee: entry.connectionFee,
});
