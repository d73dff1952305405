/**
 * The field types of bodies and queries (docs/requirements.md#fields): strings are trimmed, a blank string or null counts as missing,
 * and enum values are case-insensitive. Bodies are in snake_case, so the path of an issue is the field as it was sent.
 */
import { z } from 'zod';
import { enumField } from '../../enums.ts';
import { shaped } from '../../openapi/input-shape.ts';
import { LongText } from './long-text.ts';

/** References are 1 to 191 characters (docs/requirements.md#fields). */
export const REF_MAX_CHARS = 191;
/** The maximum length of a name, unless its field has another limit. */
export const NAME_MAX_CHARS = 255;
/** The largest ID or count that a column can store (int4). */
export const MAX_INTEGER = 2_147_483_647;

const blankToMissing = (value: unknown) =>
  value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value;

const storable = (text: string) => !text.includes('\0') && text.isWellFormed();

// The input types (`z.input`) are those of the SDK; the actual input is unknown.
/** A required field of any kind. */
export const required = <T extends z.ZodType>(inner: T) =>
  shaped(z.preprocess<unknown, T, z.input<T>>(blankToMissing, inner), { required: true });
/** A field that may be omitted; it is then undefined. */
export const optional = <T extends z.ZodType>(inner: T) =>
  shaped(
    z.preprocess<unknown, z.ZodOptional<T>, z.input<T> | null>(blankToMissing, inner.optional()).optional(),
    { nullable: true },
  );
/** A field in which null and omission have different meanings. */
export const optionalOrNull = <T extends z.ZodType>(inner: T) =>
  shaped(
    z
      .preprocess<unknown, z.ZodOptional<z.ZodNullable<T>>, z.input<T> | null>(
        (value) => (value === null ? null : blankToMissing(value)),
        inner.nullable().optional(),
      )
      .optional(),
    { nullable: true },
  );
/** A field that a PUT resets to null if it is omitted. */
export const orNull = <T extends z.ZodType>(inner: T) =>
  shaped(
    optional(inner).transform((value): z.output<T> | null => (value === undefined ? null : value)),
    { default: null },
  );
/** A field that a PUT resets to `fallback` if it is omitted. */
export const orDefault = <T extends z.ZodType>(inner: T, fallback: z.output<T>) =>
  shaped(
    optional(inner).transform((value): z.output<T> => (value === undefined ? fallback : value)),
    { default: fallback },
  );

/** Trimmed text of at most `max` characters (code points). */
export const text = (max: number) =>
  shaped(
    z
      .string()
      .refine(storable, { error: 'must be valid Unicode text without null characters' })
      .trim()
      .refine((value) => value.length <= max || [...value].length <= max, {
        error: `must be at most ${max} characters`,
      }),
    { more: { maxLength: max } },
  );
/** The content of a text file; its size is limited in bytes, by the verb. */
export const fileText = shaped(
  z
    .preprocess<unknown, z.ZodType<LongText>, string>(
      (value) => (typeof value === 'string' ? new LongText([value]) : value),
      z.instanceof(LongText, {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a string'),
      }),
    )
    .refine(({ pieces }) => pieces.every(storable), {
      error: 'must be valid Unicode text without null characters',
    }),
  { is: { type: 'string' } },
);
export const ref = text(REF_MAX_CHARS);
export const integer = (min: number, max: number) => z.number().int().min(min).max(max);
export { enumField };

/** Free-form JSON, kept as sent. `jsonObjectOf` refines this schema, and a refined copy keeps its shape. */
const anyJsonObject = shaped(
  z.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && storableJson(value),
    { error: 'must be a JSON object whose text is valid Unicode without null characters' },
  ),
  { is: { type: 'object', additionalProperties: true } },
);
export const jsonObjectOf = (maxBytes: number) =>
  anyJsonObject.refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxBytes, {
    error: `must be at most ${maxBytes / 1024} KB of JSON`,
  });
/** A page of a list contains up to 200 of them, and every event of a call contains one. */
export const JSON_OBJECT_MAX_BYTES = 64 * 1024;
export const jsonObject = jsonObjectOf(JSON_OBJECT_MAX_BYTES);

/** PostgreSQL's JSON can contain neither NUL nor an unpaired surrogate. */
function storableJson(value: unknown): boolean {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => storable(key) && storableJson(inner));
}

/** Query values arrive as text; the SDK also accepts numbers and booleans. */
export const queryInteger = (min: number, max: number): z.ZodType<number, string | number> =>
  z
    .string()
    .trim()
    .regex(/^-?\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(integer(min, max));
export const queryBoolean: z.ZodType<boolean, 'TRUE' | 'FALSE' | boolean> = shaped(
  enumField(['TRUE', 'FALSE']).transform((value) => value === 'TRUE'),
  { is: { type: 'boolean' } },
);

const localTime = z.iso.datetime({ local: true, offset: true });
/** An ISO 8601 date or timestamp; without an offset it is UTC. A `+` that was decoded as a space is restored. */
export const queryTimestamp: z.ZodType<Date, string | Date> = shaped(
  z
    .string()
    .transform((value) => value.trim().replace(/ (\d\d:?\d\d)$/, '+$1'))
    .refine((value) => z.iso.date().safeParse(value).success || localTime.safeParse(value).success, {
      error: 'must be an ISO 8601 timestamp',
    })
    .transform(
      (value) =>
        new Date(/T.*(Z|[+-]\d\d:?\d\d)$/i.test(value) || !value.includes('T') ? value : `${value}Z`),
    )
    // PostgreSQL has no year 0.
    .refine((moment) => moment.getUTCFullYear() >= 1, { error: 'must be an ISO 8601 timestamp' }),
  {
    is: {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
    },
  },
);

/** A timestamp in a resource. */
export const timestamp = z.iso.datetime({ precision: 3 });
export const id = z.number().int();

/** Values that are written in lower case; accepted in any case. */
export const lowercaseEnum = <const T extends readonly [string, ...string[]]>(
  values: T,
): z.ZodType<T[number], T[number]> =>
  z
    .string()
    .transform((value) => value.trim().toLowerCase())
    .pipe(z.enum(values));
