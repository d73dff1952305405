/** The entries of a rate deck: search, the price of a number, manual changes, export (docs/requirements.md#prices). */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  integer,
  lowercaseEnum,
  optional,
  orDefault,
  orNull,
  queryInteger,
  required,
  text,
  timestamp,
  enumField,
} from '../fields/fields.ts';
import { amount, amountText } from '../fields/money.ts';
import { pageQuery, pageShape } from '../fields/paging.ts';

/** CURRENT: in force. SCHEDULED: takes effect later. ENDED: replaced or removed (price history). */
export const rateEntryStatuses = ['CURRENT', 'SCHEDULED', 'ENDED'] as const;
export type RateEntryStatus = (typeof rateEntryStatuses)[number];
/** `rate`: lowest price first. `-rate`: highest price first. */
export const rateEntrySorts = ['prefix', 'destination', 'rate', '-rate'] as const;
export type RateEntrySort = (typeof rateEntrySorts)[number];
const LIST_LIMIT = { max: 500, default: 50 };
const SEARCH_MAX_CHARS = 191;
const LOOKUP_SECONDS = { min: 0, max: 86_400, default: 60 };
const BLOCK_SECONDS = { min: 1, max: 3600, default: 60 };
const DESTINATION_MAX_CHARS = 255;
/** E.164 numbers have at most 15 digits. */
const PREFIX = /^\d{1,15}$/;

/** The fields of a query that selects entries. */
export const entryFilters = {
  q: optional(text(SEARCH_MAX_CHARS)).describe(
    'A number (digits, `+`, spaces, hyphens, parentheses and full stops) matches the entries that price it and those with longer prefixes. Other text matches a part of the destination.',
  ),
  status: optional(enumField(rateEntryStatuses)),
  sort: orDefault(lowercaseEnum(rateEntrySorts), 'prefix').describe(
    'rate: lowest price first. -rate: highest price first.',
  ),
  min_rate: optional(amount()).describe('The lowest rate per minute.'),
  max_rate: optional(amount()).describe('The highest rate per minute.'),
};
export const toEntryFilters = ({
  q,
  status,
  sort,
  min_rate,
  max_rate,
}: z.output<z.ZodObject<typeof entryFilters>>) => ({
  /** A number matches the entries that price it and those with longer prefixes; other text matches a part of the destination. */
  search: q ?? null,
  /** Null: entries in force and scheduled ones. */
  status: status ?? null,
  sort,
  minRate: min_rate ?? null,
  maxRate: max_rate ?? null,
});

export const listRateEntriesQuery = z
  .object({ ...entryFilters, ...pageQuery(LIST_LIMIT) })
  .transform(({ page, limit, ...rest }) => ({ ...toEntryFilters(rest), page, limit }));
export type ListRateEntries = z.output<typeof listRateEntriesQuery>;
export type RateEntryFilters = Omit<ListRateEntries, 'page' | 'limit' | 'sort'>;

export const lookupRateQuery = z
  .object({
    number: required(
      text(SEARCH_MAX_CHARS).regex(/^(?=.*\d)[\d+\s().-]*$/, { error: 'must be a telephone number' }),
    ),
    seconds: optional(queryInteger(LOOKUP_SECONDS.min, LOOKUP_SECONDS.max)).describe(
      'The duration of the call. 0 is a call that was not answered.',
    ),
  })
  .transform(({ number, seconds }) => ({ number, seconds: seconds ?? LOOKUP_SECONDS.default }));
export type LookupRate = z.output<typeof lookupRateQuery>;

const priceFields = {
  destination: orNull(text(DESTINATION_MAX_CHARS)),
  rate: required(amount({ min: 0 })),
  initial_seconds: orDefault(integer(BLOCK_SECONDS.min, BLOCK_SECONDS.max), BLOCK_SECONDS.default),
  increment_seconds: orDefault(integer(BLOCK_SECONDS.min, BLOCK_SECONDS.max), BLOCK_SECONDS.default),
  connection_fee: orDefault(amount({ min: 0 }), '0'),
};
const price = z.object(priceFields);
const toPrice = (body: z.output<typeof price>) => ({
  destination: body.destination,
  rate: body.rate,
  initialSeconds: body.initial_seconds,
  incrementSeconds: body.increment_seconds,
  connectionFee: body.connection_fee,
});
const prefix = z.preprocess<unknown, z.ZodString, string | number>(
  (value) => (Number.isSafeInteger(value) ? String(value) : value),
  z
    .string()
    .trim()
    .regex(/^\+?\d{1,15}$/, { error: 'must be 1 to 15 digits' }),
);
export const createRateEntryBody = z
  .object({ prefix: required(prefix), ...priceFields })
  .transform((body) => ({ prefix: body.prefix.replace('+', ''), ...toPrice(body) }));
export type CreateRateEntry = z.output<typeof createRateEntryBody>;
export const putRateEntryBody = price.transform(toPrice);
export type PutRateEntry = z.output<typeof putRateEntryBody>;

export const rateEntryResource = z
  .strictObject({
    id,
    prefix: z.string().regex(PREFIX),
    destination: z.string().nullable(),
    /** Per minute. */
    rate: amountText,
    initialSeconds: z.number().int(),
    incrementSeconds: z.number().int(),
    connectionFee: amountText,
    effectiveFrom: timestamp,
    /** Null: no end is set. */
    effectiveTo: timestamp.nullable(),
  })
  .meta({ id: 'RateEntry' });
export type RateEntryResource = z.infer<typeof rateEntryResource>;
/** The price of a call; without `call` if no entry prices the number. */
const rateLookup = z.strictObject({
  number: z.string(),
  entry: rateEntryResource.nullable(),
  call: z
    .strictObject({ seconds: z.number().int(), billedSeconds: z.number().int(), amount: amountText })
    .optional(),
});
export type RateLookup = z.infer<typeof rateLookup>;

const example = {
  id: 1001,
  prefix: '4420',
  destination: 'United Kingdom, London',
  rate: '0.012',
  initialSeconds: 60,
  incrementSeconds: 1,
  connectionFee: '0',
  effectiveFrom: '2026-01-05T09:00:00.000Z',
  effectiveTo: null,
};
const priceExample = {
  destination: example.destination,
  rate: '0.012',
  initial_seconds: 60,
  increment_seconds: 1,
};
const one = z.strictObject({ entry: rateEntryResource });
const deckPath = '/v1/rate-decks/{deckId}';
const path = `${deckPath}/entries/{entryId}` as const;
const ofDeck = { deckId: 20 };
const pathExample = { deckId: 20, entryId: 1001 };

export const rateEntryEndpoints = {
  listRateEntries: defineEndpoint({
    method: 'GET',
    path: `${deckPath}/entries`,
    summary:
      'Lists the entries of a rate deck. If q is a number, the entries that price it and those with longer prefixes are returned, together with match, the entry in force for the number.',
    query: listRateEntriesQuery,
    answer: {
      status: 200,
      body: z.strictObject({
        ...pageShape,
        entries: z.array(rateEntryResource),
        /** Only if `q` is a number; null if no entry prices it. */
        match: rateEntryResource.nullable().optional(),
      }),
    },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: ofDeck,
      query: 'q=%2B442079460123&sort=prefix',
      answer: { total: 1, page: 1, limit: 50, entries: [example], match: example },
    },
  }),
  lookupRate: defineEndpoint({
    method: 'GET',
    path: `${deckPath}/lookup`,
    summary:
      'Returns the current price of a call to a number for a given duration, according to this rate deck. If no entry covers the number, entry is null.',
    query: lookupRateQuery,
    answer: {
      status: 200,
      body: rateLookup,
    },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: ofDeck,
      query: 'number=%2B442079460123&seconds=90',
      answer: {
        number: '+442079460123',
        entry: example,
        call: { seconds: 90, billedSeconds: 90, amount: '0.018' },
      },
    },
  }),
  createRateEntry: defineEndpoint({
    method: 'POST',
    path: `${deckPath}/entries`,
    summary:
      'Creates an entry that sets the price of a prefix, effective immediately. Returns 409 exists if the prefix already has a price, in force or scheduled.',
    body: createRateEntryBody,
    answer: { status: 201, body: one },
    errors: ['not_found', 'exists', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'own',
    oneTenantSession: false,
    example: { path: ofDeck, body: { prefix: '+4420', ...priceExample }, answer: { entry: example } },
  }),
  getRateEntry: defineEndpoint({
    method: 'GET',
    path,
    summary: 'Returns an entry of a rate deck.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: { path: pathExample, answer: { entry: example } },
  }),
  putRateEntry: defineEndpoint({
    method: 'PUT',
    path,
    summary:
      'Changes the price of a prefix. An entry in force ends now and a new one replaces it; a scheduled entry is changed in place.',
    body: putRateEntryBody,
    answer: { status: 200, body: one },
    errors: ['not_found', 'unchanged', 'ended'],
    role: 'own',
    oneTenantSession: false,
    example: { path: pathExample, body: priceExample, answer: { entry: example } },
  }),
  deleteRateEntry: defineEndpoint({
    method: 'DELETE',
    path,
    summary:
      'Ends an entry in force, or removes a scheduled entry so that the earlier price remains in force.',
    answer: { status: 200, body: one },
    errors: ['not_found', 'ended'],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: pathExample,
      answer: { entry: { ...example, effectiveTo: '2026-01-06T10:00:00.000Z' } },
    },
  }),
};
