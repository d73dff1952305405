/** Typed arrays that grow, and the numbers of repeated values: what an index is built of. Pure. */

type Elements = Float64Array | Int32Array | Uint32Array | Uint16Array | BigInt64Array;
interface ElementsType<A extends Elements> {
  new (buffer: ArrayBuffer): A;
  readonly BYTES_PER_ELEMENT: number;
}

const FIRST_BYTES = 1024;

export class Column<A extends Elements> {
  readonly #type: ElementsType<A>;
  #buffer = new ArrayBuffer(FIRST_BYTES);
  #elements: A;
  #length = 0;

  constructor(type: ElementsType<A>) {
    this.#type = type;
    this.#elements = new type(this.#buffer);
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#buffer.byteLength;
  }

  at(index: number): A[number] {
    return this.#elements[index] as A[number];
  }

  push(element: A[number]): void {
    if (this.#length === this.#elements.length) this.#resize(this.#buffer.byteLength * 2);
    this.#elements[this.#length] = element;
    this.#length += 1;
  }

  /** What was pushed, without room for more. The column cannot be used any more. */
  trimmed(): A {
    this.#resize(this.#length * this.#type.BYTES_PER_ELEMENT);
    return this.#elements;
  }

  #resize(bytes: number): void {
    this.#buffer = this.#buffer.transfer(bytes);
    this.#elements = new this.#type(this.#buffer);
  }
}

/** Numbers equal things alike, from 0. */
export class Numbering {
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** @param onNew called if nothing equal has a number yet */
  of(text: string, onNew: () => void): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    onNew();
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

export type Ids = Uint8Array | Uint16Array | Uint32Array;

/** In the narrowest type that holds every number below `count`. */
export function narrowed(ids: Uint32Array, count: number): Ids {
  if (count <= 2 ** 8) return new Uint8Array(ids);
  return count <= 2 ** 16 ? new Uint16Array(ids) : ids;
}
