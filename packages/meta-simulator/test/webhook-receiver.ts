/** A business's webhook endpoint: verifies signatures over the raw body, and keeps what it received. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface CallItem {
  id: string;
  event: string;
  direction: string;
  status?: string;
  from?: string;
  from_user_id?: string;
  start_time?: string;
  duration?: number;
  biz_opaque_callback_data?: string;
  session?: { sdp_type: string; sdp: string };
}

export interface Value {
  metadata: { display_phone_number: string; phone_number_id: string };
  contacts?: { wa_id?: string; user_id: string }[];
  calls?: CallItem[];
  statuses?: { id: string; status: string; recipient_id?: string; recipient_user_id: string }[];
  messages?: {
    from?: string;
    context?: { id: string };
    interactive: {
      call_permission_reply: { response: string; is_permanent?: boolean; response_source: string };
    };
  }[];
  errors?: { code: number }[];
}

export interface Received {
  readonly isSigned: boolean;
  readonly field: string;
  readonly value: Value;
  /** Which POST it came in. */
  readonly post: number;
}

export class WebhookReceiver {
  readonly received: Received[] = [];
  /** The statuses of the next responses; 200 when there are no more. */
  statuses: number[] = [];
  posts = 0;
  url = '';
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  #waiting: (() => void)[] = [];

  readonly secret: string;
  readonly verifyToken: string;

  constructor(secret: string, verifyToken: string) {
    this.secret = secret;
    this.verifyToken = verifyToken;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhook`;
    return this.url;
  }

  /** The first change that matches, now or later; the test's time limit bounds the wait. */
  async next(matches: (received: Received) => boolean): Promise<Received> {
    for (;;) {
      const found = this.received.find(matches);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  call(event: string): Promise<Received> {
    return this.next(({ value }) => value.calls?.some((each) => each.event === event) ?? false);
  }

  status(status: string): Promise<Received> {
    return this.next(({ value }) => value.statuses?.some((each) => each.status === status) ?? false);
  }

  /** `connect`, `RINGING`, `terminate` and so on, in the order of arrival. */
  get order(): string[] {
    return this.received.flatMap(({ value }) => [
      ...(value.calls ?? []).map(({ event }) => event),
      ...(value.statuses ?? []).map(({ status }) => status),
      ...(value.messages ?? []).map(() => 'permission'),
    ]);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      const query = new URL(request.url ?? '', 'http://x').searchParams;
      const isKnown = query.get('hub.verify_token') === this.verifyToken;
      response.writeHead(isKnown ? 200 : 403).end(isKnown ? query.get('hub.challenge') : '');
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const expected = `sha256=${createHmac('sha256', this.secret).update(body).digest('hex')}`;
    const isSigned = request.headers['x-hub-signature-256'] === expected;
    this.posts += 1;
    const status = this.statuses.shift() ?? 200;
    response.writeHead(status).end();
    if (status !== 200) return;
    const payload = JSON.parse(body.toString()) as {
      entry: { changes: { field: string; value: Value }[] }[];
    };
    for (const { changes } of payload.entry)
      for (const { field, value } of changes)
        this.received.push({ isSigned, field, value, post: this.posts });
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
