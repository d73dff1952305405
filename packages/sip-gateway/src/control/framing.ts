/**
 * Frames of the control connection: `<n>#<payload>`, where n is the number of octets in decimal. All text has one
 * character per octet, so `.length` is the number of octets.
 */

/** Largest frame accepted from an app; a longer one closes the connection. Octets. */
export const MAX_FRAME_BYTES = 256 * 1024;
const MAX_LENGTH_DIGITS = String(MAX_FRAME_BYTES).length;

export function frame(payload: string): string {
  return `${payload.length}#${payload}`;
}

export class FrameReader {
  #buffer = '';

  /** Adds octets; returns the completed payloads, or null if the stream is invalid and must be closed. */
  push(chunk: string): string[] | null {
    this.#buffer = this.#buffer === '' ? chunk : this.#buffer + chunk;
    const payloads: string[] = [];
    let at = 0;
    for (;;) {
      let length = 0;
      let i = at;
      for (; i < this.#buffer.length; i++) {
        const code = this.#buffer.charCodeAt(i);
        if (code === 0x23) break;
        if (code < 0x30 || code > 0x39 || i - at >= MAX_LENGTH_DIGITS) return null;
        length = length * 10 + code - 0x30;
      }
      if (i < this.#buffer.length && (i === at || length === 0 || length > MAX_FRAME_BYTES)) return null;
      if (i >= this.#buffer.length || this.#buffer.length - i - 1 < length) {
        this.#buffer = this.#buffer.slice(at);
        return payloads;
      }
      payloads.push(this.#buffer.slice(i + 1, i + 1 + length));
      at = i + 1 + length;
    }
  }
}

/** A frame's payload, split at its first line break into fields and SIP text ('' if there is none). */
export interface Payload {
  readonly fields: readonly string[];
  readonly sip: string;
}

export function readPayload(payload: string): Payload {
  const end = payload.indexOf('\r');
  if (end < 0) return { fields: payload.split('|'), sip: '' };
  const start = payload.charCodeAt(end + 1) === 0x0a ? end + 2 : end + 1;
  return { fields: payload.slice(0, end).split('|'), sip: payload.slice(start) };
}
