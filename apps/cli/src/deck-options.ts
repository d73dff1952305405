/** The options that name a rate deck, and whose it is. */
import { Option } from 'commander';
import { consumerOf } from '@clarion/core/consumer/operator';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import type { DeckCtx } from '@clarion/core/rate-deck/deck-of';
import { wholeNumber } from './options.ts';

export interface OwnerOptions {
  slug?: string;
}
export interface DeckOptions extends OwnerOptions {
  id: number;
}

export const owner = new Option('--slug <slug>', 'account that owns the rate deck; default: your own');
export const deckOptions = [
  owner,
  new Option('--id <id>', 'ID of the rate deck').argParser(wholeNumber).makeOptionMandatory(),
];

export const ownerOf = async (ctx: OperatorCtx, { slug }: OwnerOptions): Promise<DeckCtx> => ({
  ...ctx,
  consumer: slug === undefined ? null : await consumerOf(ctx, slug),
});
