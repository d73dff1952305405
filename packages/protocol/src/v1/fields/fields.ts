/**
 * What bodies and queries are made of (docs/requirements.md#fields): strings are trimmed, a blank string or null counts as missing,
 * enum values come in any case. Bodies are snake_case, so an issue's path is the field as it was sent.
 */
import { z } from 'zod';
import { enumField } from '../../enums.ts';
import { shaped } from '../../openapi/input-shape.ts';

/** References are 1 to 191 characters (docs/requirements.md#fields). */
export const REF_MAX_CHARS = 191;
/** Bound of a name, wherever its field has none of its own. */
export const NAME_MAX_CHARS = 255;
/** The largest id or count that a column holds (int4). */
export const MAX_INTEGER = 2_147_483_647;

const blankToMissing = (value: unknown) =>
  value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value;

const storable = (text: string) => !text.includes('\0') && text.isWellFormed();

// Each says what a client may write (`z.input`), from which the SDK's types come; what arrives is unknown all the same.
/** A required field of any kind. */
export const required = <T extends z.ZodType>(inner: T) =>
  shaped(z.preprocess<unknown, T, z.input<T>>(blankToMissing, inner), { required: true });
/** A field that may be left out: undefined then. */
export const optional = <T extends z.ZodType>(inner: T) =>
  shaped(
    z.preprocess<unknown, z.ZodOptional<T>, z.input<T> | null>(blankToMissing, inner.optional()).optional(),
    { nullable: true },
  );
/** A field in which null says something that leaving it out does not. */
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
/** A field that a PUT resets to null when it is left out. */
export const orNull = <T extends z.ZodType>(inner: T) =>
  shaped(
    optional(inner).transform((value): z.output<T> | null => (value === undefined ? null : value)),
    { default: null },
  );
/** A field that a PUT resets to `fallback` when it is left out. */
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
export const ref = text(REF_MAX_CHARS);
export const integer = (min: number, max: number) => z.number().int().min(min).max(max);
export { enumField };

/** Free-form JSON, kept as it was sent. The note is on the inner schema too: a refined one is made of it. */
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
/** A list answers with two hundred of them, and every event carries one. */
export const JSON_OBJECT_MAX_BYTES = 64 * 1024;
export const jsonObject = jsonObjectOf(JSON_OBJECT_MAX_BYTES);

/** PostgreSQL's JSON holds neither NUL nor half a surrogate pair. */
function storableJson(value: unknown): boolean {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => storable(key) && storableJson(inner));
}

/** Query values arrive as text; a client may write the value itself. */
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
/** An ISO 8601 date or timestamp; without an offset it is UTC. A `+` that a query string turned into a space is put back. */
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
    // PostgreSQL counts no year 0.
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

/** A moment in a resource. */
export const timestamp = z.iso.datetime({ precision: 3 });
export const id = z.number().int();
