/**
 * Appends to one spool. A packet is copied to memory, and the disk is written asynchronously a few times a second. A
 * failure (a full or slow disk) is reported once; after that nothing is kept. The recording is lost, the call is not.
 */
import { close, open, write } from 'node:fs';
import { PRIVATE_FILE_MODE } from '@clarion/store/private-folder';
import {
  clockRecord,
  CLOCK,
  END,
  packetBytes,
  SPOOL_MAGIC,
  voiceRecord,
  writePacket,
  type Channel,
  type SpooledPacket,
} from './spool-format.ts';

/** Size of one write. */
const CHUNK_BYTES = 16 * 1024;
/** Limit for audio that has not been written yet: about 50 s of one call. */
const MAX_WAITING_BYTES = 1024 * 1024;

export class SpoolWriter {
  readonly #path: string;
  readonly #onFailed: (error: Error) => void;
  #fd: number | null = null;
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #filled = 0;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing = false;
  #failed = false;
  #ending: (() => void) | null = null;
  #ended = false;

  constructor(path: string, onFailed: (error: Error) => void) {
    this.#path = path;
    this.#onFailed = onFailed;
    this.#append(SPOOL_MAGIC);
  }

  /** Bytes that have not been written yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  voice(index: number, channel: Channel, legId: string): void {
    this.#append(voiceRecord(index, channel, legId));
  }

  packet(packet: SpooledPacket): void {
    const bytes = packetBytes(packet.payload.length);
    const at = this.#room(bytes);
    if (at !== null) writePacket(this.#chunk, at, packet);
  }

  /** Time has passed; writes everything so far to the disk. */
  tick(at: number): void {
    this.#append(clockRecord(CLOCK, at));
    this.#seal();
    this.#drain();
  }

  /** Resolves when everything is written and the file is closed, or writing has failed. */
  end(at: number): Promise<void> {
    if (this.#ended) return Promise.resolve();
    this.#append(clockRecord(END, at));
    this.#ended = true;
    this.#seal();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ending = resolve;
    this.#drain();
    return promise;
  }

  #append(record: Buffer): void {
    const at = this.#room(record.length);
    if (at !== null) record.copy(this.#chunk, at);
  }

  /** Reserves space in the chunk; null once nothing is kept any more. */
  #room(bytes: number): number | null {
    if (this.#failed || this.#ended || bytes > CHUNK_BYTES) return null;
    if (this.#filled + bytes > CHUNK_BYTES) {
      this.#seal();
      this.#drain();
      if (this.#failed) return null;
    }
    const at = this.#filled;
    this.#filled += bytes;
    return at;
  }

  #seal(): void {
    if (this.#filled === 0 || this.#failed) return;
    this.#waiting.push(this.#chunk.subarray(0, this.#filled));
    this.#waitingBytes += this.#filled;
    this.#chunk = this.#ended ? Buffer.alloc(0) : Buffer.allocUnsafe(CHUNK_BYTES);
    this.#filled = 0;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#fail(new Error('the disk cannot keep up'));
  }

  #drain(): void {
    if (this.#writing) return;
    const fd = this.#fd;
    if (fd === null && !this.#failed) return this.#open();
    const [next] = this.#waiting;
    if (fd !== null && next && !this.#failed) return this.#write(fd, next);
    if (this.#ending) this.#close();
  }

  #open(): void {
    this.#writing = true;
    open(this.#path, 'w', PRIVATE_FILE_MODE, (error, fd) => {
      this.#writing = false;
      if (error) this.#fail(error);
      else this.#fd = fd;
      this.#drain();
    });
  }

  #write(fd: number, chunk: Buffer): void {
    this.#writing = true;
    write(fd, chunk, 0, chunk.length, null, (error, written) => {
      this.#writing = false;
      if (error) {
        this.#fail(error);
      } else {
        this.#waitingBytes -= written;
        if (written < chunk.length) this.#waiting[0] = chunk.subarray(written);
        else this.#waiting.shift();
      }
      this.#drain();
    });
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#onFailed(error);
  }

  #close(): void {
    const done = this.#ending;
    this.#ending = null;
    const fd = this.#fd;
    this.#fd = null;
    if (fd === null) done?.();
    else close(fd, () => done?.());
  }
}
