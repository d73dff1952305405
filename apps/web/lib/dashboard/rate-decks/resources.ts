/** The resources of the rate deck pages, as `/v1` returns and takes them. */
import type { Answer, Input } from '../request.ts';

export type DeckDetail = Answer<'GET', '/v1/rate-decks/{deckId}'>;
export type Deck = DeckDetail['deck'];
export type DeckKind = Deck['kind'];
export type DeckImport = DeckDetail['imports'][number];

export const ENTRIES_PATH = '/v1/rate-decks/{deckId}/entries';
export type Entry = Answer<'GET', typeof ENTRIES_PATH>['entries'][number];
export type EntriesQuery = NonNullable<Input<'GET', typeof ENTRIES_PATH>['query']>;
export type EntryBody = Input<'PUT', '/v1/rate-decks/{deckId}/entries/{entryId}'>['body'];

export const PREVIEW_PATH = '/v1/rate-decks/{deckId}/import/preview';
export type DryRun = Answer<'POST', typeof PREVIEW_PATH>;
export type Reading = DryRun['reading'];
export type Preview = NonNullable<DryRun['preview']>;
export type ImportBody = Input<'POST', typeof PREVIEW_PATH>['body'];

/** What a change of a deck's entries makes stale. */
export const DECK_PATHS = [
  '/v1/rate-decks',
  '/v1/rate-decks/{deckId}',
  ENTRIES_PATH,
  '/v1/rate-decks/{deckId}/lookup',
] as const;
