/**
 * Splits a byte stream into SIP messages by Content-Length (RFC 3261 §18.3), with CRLF keep-alives (RFC 5626 §3.5.1).
 */
import { MAX_HEAD_BYTES } from '../message/parse.ts';

/** Largest message accepted on a stream. Bytes. */
export const MAX_STREAM_MESSAGE_BYTES = 256 * 1024;

const PING = '\r\n\r\n';

export type FramingEvent = { readonly kind: 'message'; readonly text: string } | { readonly kind: 'ping' };

export class StreamFraming {
  #buffer = '';
  /** How far the head has been searched, to avoid quadratic time with a slow sender. */
  #searched = 0;
  /** Length of the incomplete message whose head has arrived; 0 before that. */
  #messageLength = 0;

  /** Adds octets; returns the completed events, or null if the stream is invalid and must be closed. */
  push(chunk: string): FramingEvent[] | null {
    this.#buffer += chunk;
    const events: FramingEvent[] = [];
    for (;;) {
      if (this.#messageLength > 0) {
        if (this.#buffer.length < this.#messageLength) return events;
        events.push({ kind: 'message', text: this.#buffer.slice(0, this.#messageLength) });
        this.#buffer = this.#buffer.slice(this.#messageLength);
        this.#messageLength = 0;
        this.#searched = 0;
      }
      this.#skipLineBreaks(events);
      // This may be the start of a keep-alive; the next octet decides.
      if (this.#searched === 0 && PING.startsWith(this.#buffer)) return events;
      const headEnd = this.#buffer.indexOf('\r\n\r\n', Math.max(0, this.#searched - 3));
      if (headEnd < 0) {
        this.#searched = this.#buffer.length;
        return this.#buffer.length > MAX_HEAD_BYTES ? null : events;
      }
      if (headEnd > MAX_HEAD_BYTES) return null;
      const length = contentLength(this.#buffer, headEnd);
      const end = headEnd + 4 + length;
      if (length < 0 || end > MAX_STREAM_MESSAGE_BYTES) return null;
      this.#messageLength = end;
    }
  }

  /** Removes line breaks between messages; a double one is a keep-alive that expects a pong. */
  #skipLineBreaks(events: FramingEvent[]): void {
    while (this.#searched === 0 && this.#buffer.startsWith('\r\n')) {
      if (PING.startsWith(this.#buffer) && this.#buffer !== PING) return;
      const ping = this.#buffer.startsWith(PING);
      if (ping) events.push({ kind: 'ping' });
      this.#buffer = this.#buffer.slice(ping ? 4 : 2);
    }
  }
}

/**
 * Content-Length in the head that ends at `headEnd`: 0 if absent (invalid, but the stream can continue), -1 if
 * malformed.
 */
function contentLength(buffer: string, headEnd: number): number {
  let at = buffer.indexOf('\r\n');
  while (at >= 0 && at < headEnd) {
    const start = at + 2;
    const next = buffer.indexOf('\r\n', start);
    const end = next < 0 || next > headEnd ? headEnd : next;
    const first = buffer.charCodeAt(start) | 0x20;
    // Only lines that start with c or l can be Content-Length or its compact form.
    if (first === 0x63 || first === 0x6c) {
      const line = buffer.slice(start, end);
      const colon = line.indexOf(':');
      if (colon > 0) {
        const name = line.slice(0, colon).trimEnd().toLowerCase();
        if (name === 'content-length' || name === 'l') {
          const digits = line.slice(colon + 1).trim();
          for (let i = 0; i < digits.length; i++) {
            const code = digits.charCodeAt(i);
            if (code < 0x30 || code > 0x39) return -1;
          }
          return digits === '' || digits.length > 7 ? -1 : Number(digits);
        }
      }
    }
    at = next;
  }
  return 0;
}
