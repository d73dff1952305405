/** Commands about rate decks, of an account or (without a slug) of the operator. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { commitPrepared } from '@clarion/core/prepared';
import { createRateDeck, deleteRateDeck, listRateDecks } from '@clarion/core/rate-deck/decks';
import { exportRateDeck } from '@clarion/core/rate-deck/export/export-rate-deck';
import { importRateDeck, previewRateImport } from '@clarion/core/rate-deck/import/import-rate-deck';
import { createRateDeckBody, rateDeckKinds } from '@clarion/protocol/v1/price/rate-decks';
import { exportFormats, exportRateDeckQuery } from '@clarion/protocol/v1/price/rate-export';
import { importRateDeckBody } from '@clarion/protocol/v1/price/rate-imports';
import { rateDateFormats, rateImportModes } from '@clarion/protocol/v1/price/rate-import-resources';
import { addDeckEntryCommands } from './deck-entry-commands.ts';
import { deckOptions, owner, ownerOf } from './deck-options.ts';
import type { DeckOptions, OwnerOptions } from './deck-options.ts';
import { parsed } from './options.ts';
import type { Add } from './options.ts';

export function addDeckCommands(program: Command, add: Add): void {
  const deck = program.command('deck').description('Rate decks: yours, or with --slug those of an account.');
  add<OwnerOptions>(deck, 'list', 'list the rate decks', [owner], async (ctx, options) =>
    listRateDecks(await ownerOf(ctx, options)),
  );
  add<OwnerOptions & { name: string; kind?: string; currency?: string; description?: string }>(
    deck,
    'create',
    'create an empty rate deck',
    [
      owner,
      new Option('--name <name>', 'name').makeOptionMandatory(),
      new Option('--kind <kind>', 'SELL: prices of price plans. BUY: those of a carrier').choices(
        rateDeckKinds,
      ),
      new Option('--currency <code>', 'ISO 4217; default: USD'),
      new Option('--description <text>', 'what people should know'),
    ],
    async (ctx, options) => createRateDeck(await ownerOf(ctx, options), parsed(createRateDeckBody, options)),
  );
  add<DeckOptions>(
    deck,
    'delete',
    'delete a rate deck that no price plan or trunk uses',
    deckOptions,
    async (ctx, options) => {
      await deleteRateDeck(await ownerOf(ctx, options), options.id);
      return { deleted: options.id };
    },
  );
  addFileCommands(deck, add);
  addDeckEntryCommands(deck, add);
}

function addFileCommands(deck: Command, add: Add): void {
  const file = new Option('--file <path>', 'the file').makeOptionMandatory();
  add<DeckOptions & { file: string; mode?: string; dateFormat?: string; dryRun?: true }>(
    deck,
    'import',
    'import a CSV file of prices',
    [
      ...deckOptions,
      file,
      new Option(
        '--mode <mode>',
        'FULL: prices that the file lacks end; default. CHANGES: they stay',
      ).choices(rateImportModes),
      new Option('--date-format <format>', 'order of day and month').choices(rateDateFormats),
      new Option('--dry-run', 'only show what would change'),
    ],
    async (ctx, { file: path, mode, dateFormat, dryRun, ...options }) => {
      const on = await ownerOf(ctx, options);
      const input = parsed(importRateDeckBody, {
        csv: await readFile(path, 'utf8'),
        mode,
        date_format: dateFormat,
        file_name: basename(path),
      });
      if (dryRun) return previewRateImport(on, options.id, input);
      const prepared = await importRateDeck(on, options.id, input);
      return commitPrepared(prepared, (sheet) => sheet.commit(on));
    },
  );
  add<DeckOptions & { file: string }>(
    deck,
    'export',
    'write the prices in force and the scheduled ones to a file, CSV or (by its name) XLSX',
    [...deckOptions, file],
    async (ctx, { file: path, ...options }) => {
      const suffix = extname(path).slice(1).toLowerCase();
      const format = exportFormats.find((each) => each === suffix) ?? 'csv';
      const query = parsed(exportRateDeckQuery, { format });
      const { file: exported } = await exportRateDeck(await ownerOf(ctx, options), options.id, query);
      await writeFile(path, exported.content);
      return { written: path };
    },
  );
}
