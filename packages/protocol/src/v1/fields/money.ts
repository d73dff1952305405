/**
 * Amounts of money (docs/requirements.md#fields): decimal strings with up to 6 decimals in responses, numbers or strings in requests. They
 * are processed as strings, so that no amount is rounded to a binary fraction.
 */
import { z } from 'zod';
import { shaped } from '../../openapi/input-shape.ts';

const MAX_DECIMALS = 6;
/** The number of whole digits that the columns of amounts can store. */
const MAX_WHOLE_DIGITS = 12;
const DECIMAL = new RegExp(`^([+-]?)0*(\\d{1,${MAX_WHOLE_DIGITS}})(?:\\.(\\d{0,${MAX_DECIMALS}}))?$`);

/** `"12.50"`, `7` or `1e-3` → `12.5`, `7`, `0.001`; null for an invalid amount. */
export function readAmount(value: string | number): string | null {
  const text = typeof value === 'number' ? plain(value) : value.trim();
  const [, sign = '', whole = '', decimals = ''] = DECIMAL.exec(text) ?? [];
  if (whole === '') return null;
  const fraction = decimals.replace(/0+$/, '');
  const size = fraction === '' ? whole : `${whole}.${fraction}`;
  return sign === '-' && /[1-9]/.test(size) ? `-${size}` : size;
}

/** JavaScript prints small numbers with an exponent; amounts have none. */
const plain = (value: number) =>
  /e-/.test(String(value)) && Number(value.toFixed(MAX_DECIMALS)) === value
    ? value.toFixed(MAX_DECIMALS)
    : String(value);

const given = z.union([z.number(), z.string()], { error: 'must be a decimal amount' });
const NO_AMOUNT = `must be a decimal amount of at most ${MAX_WHOLE_DIGITS} digits and ${MAX_DECIMALS} decimals`;

/** An amount in a request, as a decimal string. `min` and `max` must be small enough to be compared exactly as numbers. */
export const amount = ({ min, max }: { min?: number; max?: number } = {}) =>
  shaped(
    given.transform((value, context) => {
      const read = readAmount(value);
      const fail = (message: string) => {
        context.issues.push({ code: 'custom', message, input: value });
        return z.NEVER;
      };
      if (read === null) return fail(NO_AMOUNT);
      if (min !== undefined && Number(read) < min) return fail(`must be at least ${min}`);
      if (max !== undefined && Number(read) > max) return fail(`must be at most ${max}`);
      return read;
    }),
    {
      is: {
        anyOf: [
          {
            type: 'number',
            ...(min !== undefined && { minimum: min }),
            ...(max !== undefined && { maximum: max }),
          },
          { type: 'string', pattern: `^[+-]?\\d{1,${MAX_WHOLE_DIGITS}}(\\.\\d{0,${MAX_DECIMALS}})?$` },
        ],
      },
    },
  );

/** ISO 4217. */
const currencies = new Set(Intl.supportedValuesOf('currency'));
export const currency = shaped(
  z
    .string()
    .transform((code) => code.trim().toUpperCase())
    .refine((code) => currencies.has(code), { error: 'must be an ISO 4217 currency code such as USD' }),
  { is: { type: 'string', pattern: '^[A-Za-z]{3}$' } },
);
export const DEFAULT_CURRENCY = 'USD';

/** An amount in a resource. */
export const amountText = z.string().regex(/^-?\d{1,18}(\.\d{1,6})?$/);
export const currencyCode = z.string().length(3);
