/** The options that name a rate deck of an account. */
import { Option } from 'commander';
import { slug, wholeNumber } from './options.ts';

export interface DeckOptions {
  slug: string;
  id: number;
}

export const deckOptions = [
  slug,
  new Option('--id <id>', 'ID of the rate deck').argParser(wholeNumber).makeOptionMandatory(),
];
