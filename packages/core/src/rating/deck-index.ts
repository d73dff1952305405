/**
 * The prices of one rate deck in memory, for look-ups of the longest prefix in force. Immutable and compact: about 21 bytes an entry, because
 * prefixes are numbers, and a price or a period of several entries is stored once. Pure.
 *
 * A prefix is a number of 15 digits in base 11, where a digit is one more than in the prefix and 0 stands for none (`keyOf`). Keys sort as
 * prefixes do, and the numbers that begin with a prefix are a range of keys. Among the prefixes that are not greater than a number, the
 * greatest is the longest one that prices it, or a neighbour whose own prefixes (`links`) include that one.
 */
import type { MinutePrice } from './charge.ts';
import { Column, narrowed, Numbering } from './column.ts';
import type { Ids } from './column.ts';
import { MAX_DIGITS } from './prefixes.ts';

export interface IndexRow extends MinutePrice {
  entryId: number;
  /** 1 to 15 digits. */
  prefix: string;
  /** Milliseconds since 1970. */
  effectiveFrom: number;
  /** Null: no end is set. */
  effectiveTo: number | null;
}

export interface IndexedPrice extends MinutePrice {
  entryId: number;
  prefix: string;
}

const BASE = 11;
/** By the number of digits: how many keys begin with a prefix of that length. Powers of 11 up to 11¹⁵ < 2⁵³ are exact. */
const SPANS = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, digits) => BASE ** (MAX_DIGITS - digits));
/** The character code of a digit less this is its value in a key. */
const BEFORE_ZERO = 47;

/** Characters from the first that is no digit are ignored, as are digits after the fifteenth. */
function keyOf(digits: string): number {
  const end = Math.min(digits.length, MAX_DIGITS);
  let key = 0;
  let length = 0;
  for (; length < end; length += 1) {
    const value = digits.charCodeAt(length) - BEFORE_ZERO;
    if (value < 1 || value >= BASE) break;
    key = key * BASE + value;
  }
  return key * (SPANS[length] as number);
}

const PREFIX = /^\d{1,15}$/;
/** A link is the row of the next shorter prefix plus one, or 0, and in its low bits the number of digits of this one. */
const LENGTH_BITS = 4;
const LENGTH_MASK = 2 ** LENGTH_BITS - 1;
const MAX_ROWS = 2 ** (32 - LENGTH_BITS) - 1;

/** Takes the entries of a deck in the order of the database's index: by prefix, those of a prefix by time. */
export class DeckIndexBuilder {
  readonly #keys = new Column(Float64Array);
  readonly #links = new Column(Uint32Array);
  readonly #entryIds = new Column(Int32Array);
  readonly #priceIds = new Column(Uint32Array);
  readonly #periodIds = new Column(Uint32Array);
  readonly #rates = new Column(BigInt64Array);
  readonly #termsIds = new Column(Uint32Array);
  readonly #fees = new Column(BigInt64Array);
  readonly #blocks = new Column(Uint16Array);
  readonly #times = new Column(Float64Array);
  readonly #prices = new Numbering();
  readonly #terms = new Numbering();
  readonly #periods = new Numbering();
  /** The last rows of the prefixes of the current prefix, the shortest first. */
  readonly #shorter: number[] = [];
  #lastTo = Infinity;

  get rows(): number {
    return this.#keys.length;
  }

  /** What the columns occupy. */
  get bytes(): number {
    return this.#columns().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** @throws RangeError if the row is not in order, overlaps the one before it, or has no valid prefix */
  add(row: IndexRow): void {
    const { prefix, entryId, effectiveFrom, effectiveTo } = row;
    if (!PREFIX.test(prefix)) throw new RangeError(`not a prefix of 1 to 15 digits: ${prefix}`);
    if (this.rows >= MAX_ROWS) throw new RangeError(`more than ${MAX_ROWS} entries`);
    const key = keyOf(prefix);
    const lastKey = this.rows === 0 ? -Infinity : this.#keyAt(this.rows - 1);
    if (key < lastKey || (key === lastKey && effectiveFrom < this.#lastTo))
      throw new RangeError(`entry ${entryId} of prefix ${prefix} is out of order or overlaps another`);
    if (key !== lastKey) this.#beginPrefix(key);
    this.#links.push((((this.#shorter.at(-1) ?? -1) + 1) << LENGTH_BITS) | prefix.length);
    this.#keys.push(key);
    this.#entryIds.push(entryId);
    this.#priceIds.push(this.#priceId(row));
    this.#periodIds.push(this.#periodId(effectiveFrom, effectiveTo ?? Infinity));
    this.#lastTo = effectiveTo ?? Infinity;
  }

  build(): DeckIndex {
    return new DeckIndex({
      keys: this.#keys.trimmed(),
      links: this.#links.trimmed(),
      entryIds: this.#entryIds.trimmed(),
      priceIds: narrowed(this.#priceIds.trimmed(), this.#prices.size),
      periodIds: narrowed(this.#periodIds.trimmed(), this.#periods.size),
      rates: this.#rates.trimmed(),
      termsIds: narrowed(this.#termsIds.trimmed(), this.#terms.size),
      fees: this.#fees.trimmed(),
      blocks: this.#blocks.trimmed(),
      times: this.#times.trimmed(),
    });
  }

  #beginPrefix(key: number): void {
    if (this.rows > 0) this.#shorter.push(this.rows - 1);
    for (let row = this.#shorter.at(-1); row !== undefined; row = this.#shorter.at(-1)) {
      if (key - this.#keyAt(row) < (SPANS[this.#links.at(row) & LENGTH_MASK] as number)) return;
      this.#shorter.pop();
    }
  }

  #keyAt(row: number): number {
    return this.#keys.at(row);
  }

  #priceId({ ratePerMinute, ...terms }: MinutePrice): number {
    const termsId = this.#termsId(terms);
    return this.#prices.of(`${ratePerMinute} ${termsId}`, () => {
      this.#rates.push(ratePerMinute);
      this.#termsIds.push(termsId);
    });
  }

  #termsId({ connectionFee, initialSeconds, incrementSeconds }: Omit<MinutePrice, 'ratePerMinute'>): number {
    return this.#terms.of(`${connectionFee} ${initialSeconds} ${incrementSeconds}`, () => {
      this.#fees.push(connectionFee);
      this.#blocks.push(initialSeconds);
      this.#blocks.push(incrementSeconds);
    });
  }

  #periodId(from: number, to: number): number {
    return this.#periods.of(`${from} ${to}`, () => {
      this.#times.push(from);
      this.#times.push(to);
    });
  }

  #columns(): { bytes: number }[] {
    return [
      this.#keys,
      this.#links,
      this.#entryIds,
      this.#priceIds,
      this.#periodIds,
      this.#rates,
      this.#termsIds,
      this.#fees,
      this.#blocks,
      this.#times,
    ];
  }
}

/** Elements are of a row (in the order of keys), of a price, of terms (what else a price consists of), or of a period. */
interface Columns {
  keys: Float64Array;
  links: Uint32Array;
  entryIds: Int32Array;
  priceIds: Ids;
  periodIds: Ids;
  /** Of a price, per minute. */
  rates: BigInt64Array;
  /** Of a price. */
  termsIds: Ids;
  /** Of terms: the connection fee. */
  fees: BigInt64Array;
  /** Two of terms: initial and increment seconds. */
  blocks: Uint16Array;
  /** Two of a period: from and to, of which Infinity is no end. */
  times: Float64Array;
}

export class DeckIndex {
  readonly #columns: Columns;
  readonly rows: number;
  readonly bytes: number;

  constructor(columns: Columns) {
    this.#columns = columns;
    this.rows = columns.keys.length;
    this.bytes = Object.values(columns).reduce(
      (sum: number, { byteLength }: ArrayBufferView) => sum + byteLength,
      0,
    );
  }

  /** The entry with the longest prefix of `digits` among those in force at a time. @param at milliseconds since 1970 */
  find(digits: string, at: number): IndexedPrice | null {
    const { keys, links } = this.#columns;
    const key = keyOf(digits);
    let row = lastAtMost(keys, key);
    while (row >= 0) {
      const link = links[row] as number;
      const length = link & LENGTH_MASK;
      if (key - (keys[row] as number) < (SPANS[length] as number)) {
        const inForce = this.#inForce(row, at);
        if (inForce >= 0) return this.#priceOf(inForce, digits.slice(0, length));
      }
      row = (link >>> LENGTH_BITS) - 1;
    }
    return null;
  }

  /** Among the rows of a prefix, of which `last` is the last one; -1 if none is in force. */
  #inForce(last: number, at: number): number {
    const { keys, periodIds, times } = this.#columns;
    const startOf = (row: number) => times[2 * (periodIds[row] as number)] as number;
    let row = last;
    if (startOf(last) > at) {
      // The last row of the prefix that has begun: the rows of a prefix are in the order of time.
      const key = keys[last] as number;
      let low = -1;
      let high = last;
      while (high - low > 1) {
        const middle = (low + high) >>> 1;
        if ((keys[middle] as number) < key || startOf(middle) <= at) low = middle;
        else high = middle;
      }
      if (low < 0 || keys[low] !== key) return -1;
      row = low;
    }
    return (times[2 * (periodIds[row] as number) + 1] as number) > at ? row : -1;
  }

  #priceOf(row: number, prefix: string): IndexedPrice {
    const { entryIds, priceIds, rates, termsIds, fees, blocks } = this.#columns;
    const price = priceIds[row] as number;
    const terms = termsIds[price] as number;
    return {
      entryId: entryIds[row] as number,
      prefix,
      ratePerMinute: rates[price] as bigint,
      connectionFee: fees[terms] as bigint,
      initialSeconds: blocks[2 * terms] as number,
      incrementSeconds: blocks[2 * terms + 1] as number,
    };
  }
}

/** The last of the sorted keys that is not greater than `key`, or -1. */
function lastAtMost(keys: Float64Array, key: number): number {
  let low = -1;
  let high = keys.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as number) <= key) low = middle;
    else high = middle;
  }
  return low;
}
