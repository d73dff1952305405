/** Lists with numbered pages: `?page&limit` → `{ …, page, limit, total }`. */
import { z } from 'zod';
import { optional, queryInteger } from './fields.ts';

/** Keeps the number of skipped rows within the range of an integer. */
const PAGE_MAX = 10_000_000;

export const pageQuery = (limit: { max: number; default: number }) => ({
  page: optional(queryInteger(1, PAGE_MAX)).transform((page) => page ?? 1),
  limit: optional(queryInteger(1, limit.max)).transform((value) => value ?? limit.default),
});

export const pageShape = { page: z.number().int(), limit: z.number().int(), total: z.number().int() };
