/** One row of a rate sheet: its cells → a price, or the reason why the row is skipped. Pure. */
import { amountOf } from '../millionths.ts';
import { readDate, type DateOrder } from './dates.ts';

export interface SheetRow {
  prefix: string;
  destination: string | null;
  /** Decimal strings with at most 6 decimals. */
  rate: string;
  connectionFee: string;
  initialSeconds: number;
  incrementSeconds: number;
  /** Null: from the import on. */
  effectiveFrom: Date | null;
}

/** The cells that a row has; an absent column is an empty text. */
export type SheetCells = Record<keyof SheetRow, string>;

export interface RowRules {
  dateOrder: DateOrder;
  decimalComma: boolean;
  /** For rows without billing blocks. */
  initialSeconds: number;
  incrementSeconds: number;
}

/** A skipped row has its prefix if that can be read. */
export type ReadRow = { row: SheetRow } | { skipped: string; prefix?: string };

const MAX_DESTINATION_CHARS = 255;
const MAX_BLOCK_SECONDS = 3600;
const PREFIX = /^\d{1,15}$/;
/** Before a point without a digit, only a currency sign: `Rs.5` is 5 rupees. */
const DECIMAL = /^(?:[^\d.,-]*(?=\d)|\p{Sc}?(?=\.\d))(\d{0,12})(?:\.(\d*))?[^\d.,]*$/u;
const DECIMALS = 6;
/** A program for spreadsheets has turned the number into a shorter form, and its digits are lost. */
const EXPONENT = /^\d+([.,]\d+)?e[+-]?\d+$/i;

export function readRow(cells: SheetCells, rules: RowRules): ReadRow {
  const prefix = readPrefix(cells.prefix);
  if ('skipped' in prefix) return prefix;
  const amount = (text: string) => readDecimal(text, rules.decimalComma);
  const unread = (skipped: string) => ({ ...prefix, skipped });
  const rate = amount(cells.rate);
  if (rate === null) return unread(`The rate ${quoted(cells.rate)} is not a decimal amount of 0 or more.`);
  const connectionFee = cells.connectionFee === '' ? '0' : amount(cells.connectionFee);
  if (connectionFee === null)
    return unread(`The connection fee ${quoted(cells.connectionFee)} is not a decimal amount of 0 or more.`);
  const initialSeconds = readSeconds(cells.initialSeconds, rules.initialSeconds);
  const incrementSeconds = readSeconds(cells.incrementSeconds, rules.incrementSeconds);
  if (initialSeconds === null || incrementSeconds === null)
    return unread(`A billing block must be 1 to ${MAX_BLOCK_SECONDS} seconds.`);
  const effectiveFrom = cells.effectiveFrom === '' ? null : readDate(cells.effectiveFrom, rules.dateOrder);
  if (cells.effectiveFrom !== '' && effectiveFrom === null)
    return unread(`${quoted(cells.effectiveFrom)} is not a date in the form ${rules.dateOrder}.`);
  const destination = withoutApostrophe(cells.destination).slice(0, MAX_DESTINATION_CHARS) || null;
  return {
    row: { ...prefix, destination, rate, connectionFee, initialSeconds, incrementSeconds, effectiveFrom },
  };
}

const skip = (skipped: string): { skipped: string } => ({ skipped });
const SHOWN_CHARS = 40;
const quoted = (text: string): string => JSON.stringify(text.slice(0, SHOWN_CHARS));

/** Digits, which may begin with `+` or `00`, and contain separators. */
function readPrefix(text: string): { prefix: string } | { skipped: string } {
  if (text === '') return skip('The row has no prefix.');
  if (EXPONENT.test(text))
    return skip(`The prefix ${quoted(text)} is in exponential form, so its digits are lost.`);
  const prefix = withoutApostrophe(text)
    .replaceAll(/[\s().]/g, '')
    .replace(/^(\+|00)/, '');
  if (PREFIX.test(prefix)) return { prefix };
  if (/^\d+([-,;/]\d+)+$/.test(prefix))
    return skip(`The prefix ${quoted(text)} stands for several prefixes. Each needs a row of its own.`);
  return skip(`The prefix ${quoted(text)} is not 1 to 15 digits.`);
}

/** Rounded half up to 6 decimals, as every stored amount. A currency sign before or after it is ignored. */
function readDecimal(text: string, decimalComma: boolean): string | null {
  const written = decimalComma && !text.includes('.') ? text.replace(',', '.') : text;
  const [, whole, decimals = ''] = DECIMAL.exec(written.replaceAll(/\s/g, '')) ?? [];
  if (whole === undefined) return null;
  const kept = BigInt(whole + decimals.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
  return amountOf(kept + (Number(decimals[DECIMALS] ?? 0) >= 5 ? 1n : 0n));
}

/** Whole seconds; some sheets write them as decimals (`60.0`). */
function readSeconds(text: string, fallback: number): number | null {
  if (text === '') return fallback;
  const seconds = Number(text.replace(/[.,]0+$/, ''));
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_BLOCK_SECONDS ? seconds : null;
}

/** Exports put an apostrophe before a text that a spreadsheet program would run as a formula. */
const withoutApostrophe = (text: string): string => text.replace(/^'(?=[=+\-@])/, '');
