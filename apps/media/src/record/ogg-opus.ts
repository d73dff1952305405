/**
 * Writes Opus packets to an Ogg file (RFC 3533, RFC 7845): one logical stream, with one second of audio per page. Pure.
 */

/** Granule positions count samples at 48 kHz for every input rate (RFC 7845 §4). */
export const GRANULE_RATE = 48_000;
const PAGE_HEADER_BYTES = 27;
const MAX_SEGMENTS = 255;
const SEGMENT_BYTES = 255;
const FIRST_PAGE = 0x02;
const LAST_PAGE = 0x04;
/** Samples at 48 kHz per page, so that a player can seek. */
const PAGE_GRANULES = GRANULE_RATE;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

/** RFC 3533 §6: polynomial 04c11db7, not reflected, initial value and final XOR 0. */
export function oggCrc(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = (crc << 8) ^ (crcTable[((crc >>> 24) ^ byte) & 0xff] ?? 0);
  return crc >>> 0;
}

export interface OggOpusOptions {
  serial: number;
  channels: 1 | 2;
  /** Samples at 48 kHz that the decoder discards at the start: the delay of the encoder. */
  preSkip: number;
  /** The sample rate of the original; players show it but decode to 48 kHz. */
  inputSampleRate: number;
  vendor: string;
  comments: readonly `${string}=${string}`[];
  write: (page: Buffer) => void;
}

export class OggOpusWriter {
  readonly #options: OggOpusOptions;
  #sequence = 0;
  #packets: Uint8Array[] = [];
  #segments = 0;
  /** Granule position of the last packet, and of the last page. */
  #granule = 0;
  #pagedGranule = 0;

  constructor(options: OggOpusOptions) {
    this.#options = options;
    this.#page([opusHead(options)], 0, FIRST_PAGE);
    this.#page([opusTags(options)], 0, 0);
  }

  /** @param granules samples at 48 kHz that the packet decodes to */
  packet(bytes: Uint8Array, granules: number): void {
    const segments = Math.floor(bytes.length / SEGMENT_BYTES) + 1;
    const isFull = this.#segments + segments > MAX_SEGMENTS;
    if (isFull || this.#granule - this.#pagedGranule >= PAGE_GRANULES) this.#flush(this.#granule, 0);
    this.#packets.push(bytes);
    this.#segments += segments;
    this.#granule += granules;
  }

  /** @param granules total samples at 48 kHz; the excess in the last packet is trimmed (RFC 7845 §4.4) */
  end(granules: number): void {
    this.#flush(Math.min(this.#granule, this.#options.preSkip + granules), LAST_PAGE);
  }

  #flush(granule: number, flags: number): void {
    this.#page(this.#packets, granule, flags);
    this.#packets = [];
    this.#segments = 0;
    this.#pagedGranule = granule;
  }

  #page(packets: readonly Uint8Array[], granule: number, flags: number): void {
    const lacing: number[] = [];
    let bodyBytes = 0;
    for (const { length } of packets) {
      for (let left = length; left >= SEGMENT_BYTES; left -= SEGMENT_BYTES) lacing.push(SEGMENT_BYTES);
      lacing.push(length % SEGMENT_BYTES);
      bodyBytes += length;
    }
    const page = Buffer.alloc(PAGE_HEADER_BYTES + lacing.length + bodyBytes);
    page.write('OggS', 0, 'latin1');
    page[5] = flags;
    page.writeBigUInt64LE(BigInt(granule), 6);
    page.writeUInt32LE(this.#options.serial, 14);
    page.writeUInt32LE(this.#sequence, 18);
    page[26] = lacing.length;
    page.set(lacing, PAGE_HEADER_BYTES);
    let at = PAGE_HEADER_BYTES + lacing.length;
    for (const packet of packets) {
      page.set(packet, at);
      at += packet.length;
    }
    page.writeUInt32LE(oggCrc(page), 22);
    this.#sequence += 1;
    this.#options.write(page);
  }
}

/** RFC 7845 §5.1, mapping family 0: mono or left and right. */
function opusHead({ channels, preSkip, inputSampleRate }: OggOpusOptions): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0, 'latin1');
  head[8] = 1;
  head[9] = channels;
  head.writeUInt16LE(preSkip, 10);
  head.writeUInt32LE(inputSampleRate, 12);
  return head;
}

/** RFC 7845 §5.2. */
function opusTags({ vendor, comments }: OggOpusOptions): Buffer {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const count = Buffer.alloc(4);
  count.writeUInt32LE(comments.length);
  return Buffer.concat([Buffer.from('OpusTags', 'latin1'), text(vendor), count, ...comments.map(text)]);
}
