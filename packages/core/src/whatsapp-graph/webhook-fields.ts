/**
 * Field readers of WhatsApp's webhook JSON, shared by the readers of calls and of permission replies. They are strict about types and
 * lengths: an invalid optional field becomes null, and an invalid entry is omitted without affecting the others. Pure.
 */
import { storableText } from '@clarion/protocol/storable-text';
import { z } from 'zod';

export const ID_MAX_CHARS = 512;
export const TEXT_MAX_CHARS = 1024;
/** Valid range of timestamps: 2000-01-01 to 2100-01-01. */
const MOMENT_SECONDS = { min: 946_684_800, max: 4_102_444_800 };
/** Further entries of a hostile sender are not read. */
export const MAX_EXAMINED_ENTRIES = 10_000;

export const words = (max: number) =>
  z
    .union([z.string(), z.number().transform(String)])
    .transform((text) => storableText(text).trim())
    .pipe(z.string().min(1).max(max));
/** A missing or invalid field becomes null, so that the event is still stored. */
export const maybe = <T extends z.ZodType>(inner: T) => inner.nullable().catch(null).default(null);
export const id = words(ID_MAX_CHARS);
export const shortText = maybe(words(TEXT_MAX_CHARS));
export const upperWord = words(TEXT_MAX_CHARS).transform((text) => text.toUpperCase());
export const lowerWord = words(TEXT_MAX_CHARS).transform((text) => text.toLowerCase());
export const seconds = (min: number, max: number) => maybe(z.coerce.number().int().min(min).max(max));
/** Seconds since the epoch. */
export const moment = maybe(
  words(TEXT_MAX_CHARS)
    .transform(Number)
    .pipe(z.number().int().min(MOMENT_SECONDS.min).max(MOMENT_SECONDS.max)),
);
/** Each entry is validated separately later, so that an invalid one does not affect the others. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const list = z.unknown().default([]).transform(listOf);

export const dateOf = (epochSeconds: number | null): Date | null =>
  epochSeconds === null ? null : new Date(epochSeconds * 1000);

/** How many more entries are examined, across all lists. */
export interface EntryLimit {
  left: number;
}

/** Yields the entries that match `schema`, on demand. */
export function* readable<T extends z.ZodType>(
  schema: T,
  entries: readonly unknown[],
  limit: EntryLimit,
): Generator<z.output<T>> {
  for (const entry of entries) {
    if (limit.left <= 0) return;
    limit.left -= 1;
    const read = schema.safeParse(entry);
    if (read.success) yield read.data;
  }
}

/** One webhook can contain several entries, each with changes of several kinds. Yields the changes that match `schema`. */
export function* changesOf<T extends z.ZodType>(
  webhook: unknown,
  schema: T,
  limit: EntryLimit,
): Generator<z.output<T>> {
  const entries = z.object({ entry: list }).safeParse(webhook).data?.entry ?? [];
  for (const { changes } of readable(z.object({ changes: list }), entries, limit)) {
    yield* readable(schema, changes, limit);
  }
}

/** `metadata` of every change: the line. */
export const metadata = z.object({ phone_number_id: id, display_phone_number: shortText });
