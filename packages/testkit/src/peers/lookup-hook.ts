/** A consumer's lookup hook for tests: a real HTTP server that verifies signatures and returns the response that the test sets. */
import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { signatureHeader } from '@clarion/protocol';
import { lookupRequest } from '@clarion/protocol/lookup';
import type { LookupRequest } from '@clarion/protocol/lookup';

export interface Asked {
  question: LookupRequest;
  body: string;
  headers: IncomingHttpHeaders;
  /** Whether a `v1` signature matches the body and the secret; true if no secret is set. */
  signatureValid: boolean;
}
export interface LookupAnswer {
  status?: number;
  body?: string;
  headers?: Record<string, string>;
  afterMs?: number;
}

const WAIT_MS = 10_000;

export class LookupHook {
  /** All requests, oldest first. */
  readonly asked: Asked[] = [];
  secret = '';
  answer: LookupAnswer = {};
  readonly #arrivals = new EventEmitter();
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { headers } = request;
      this.asked.push({
        question: lookupRequest.parse(JSON.parse(body)),
        body,
        headers,
        signatureValid: this.#isSigned(headers[signatureHeader.toLowerCase()], body),
      });
      this.#arrivals.emit('asked');
      const { status = 200, body: text = '', headers: more = {}, afterMs = 0 } = this.answer;
      void sleep(afterMs).then(() => response.writeHead(status, more).end(text));
    });
  });

  static async start(): Promise<LookupHook> {
    const hook = new LookupHook();
    hook.#server.listen(0, '127.0.0.1');
    await once(hook.#server, 'listening');
    return hook;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/lookup`;
  }

  respondWith(reply: object): void {
    this.answer = { body: JSON.stringify(reply) };
  }

  /** The request about this call. Waits for it. */
  async askedAbout(callId: number): Promise<Asked> {
    const signal = AbortSignal.timeout(WAIT_MS);
    for (;;) {
      const found = this.asked.find(({ question }) => question.call_id === callId);
      if (found) return found;
      await once(this.#arrivals, 'asked', { signal });
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #isSigned(header: string | string[] | undefined, body: string): boolean {
    if (this.secret === '') return true;
    const [time = '', ...signatures] = String(header).split(',');
    const expected = createHmac('sha256', this.secret)
      .update(`${time.slice(2)}.${body}`)
      .digest('hex');
    return signatures.includes(`v1=${expected}`);
  }
}
