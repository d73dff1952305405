/** A webhook's receiving end for node:http (and Express, Fastify's raw request, …) and for whatever speaks fetch's Request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebhookEvent } from './endpoints.ts';
import {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookSecret,
} from './webhook.ts';

/** Far more than the largest event: what is larger is not ours. */
export const MAX_WEBHOOK_BYTES = 1024 * 1024;

export interface WebhookHandlerOptions extends Pick<WebhookOptions, 'toleranceSeconds'> {
  secret: WebhookSecret;
  /**
   * Store the event, and work on it later: the service waits 10 seconds. Events come at least once, so leave out an
   * `event_id` that you have. When this throws, the answer is 500 and the event comes again.
   */
  onEvent(event: WebhookEvent): void | Promise<void>;
  /** Told of what was refused or went wrong, for your log. */
  onError?(error: unknown): void;
}

export interface WebhookHandler {
  /** `createServer((request, response) => …)`, and Express, before anything parses the body. */
  node(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Next.js route handlers, Hono, Deno, Bun, …. */
  fetch(request: Request): Promise<Response>;
}

/** Answers 204 for an event that was taken, 400 for a signature that does not fit, 405, 413, or 500 when `onEvent` throws. */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { secret, onEvent, onError = () => {} } = options;
  const verifyOptions: WebhookOptions =
    options.toleranceSeconds === undefined ? {} : { toleranceSeconds: options.toleranceSeconds };

  async function take(
    method: string | undefined,
    headers: WebhookHeaders,
    chunks: AsyncIterable<Uint8Array>,
  ) {
    try {
      if (method !== 'POST') return 405;
      const body = await readAll(chunks);
      if (body === null) return 413;
      await onEvent(verifyWebhook({ headers, body }, secret, verifyOptions));
      return 204;
    } catch (error) {
      onError(error);
      return error instanceof WebhookVerificationError ? 400 : 500;
    }
  }

  return {
    async node(request, response) {
      const status = await take(request.method, request.headers, bodyOf(request));
      // The rest of a body that is too large is not read: the connection cannot be used again.
      response.writeHead(status, status === 413 ? { Connection: 'close' } : {}).end();
    },
    async fetch(request) {
      const status = await take(request.method, request.headers, request.body ?? noBody());
      return new Response(null, { status });
    },
  };
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer | null> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_WEBHOOK_BYTES) return null;
    read.push(chunk);
  }
  return Buffer.concat(read);
}

/** The bytes: of the stream, or as a raw body parser such as `express.raw()` left them. */
async function* bodyOf(request: IncomingMessage & { body?: unknown }): AsyncGenerator<Uint8Array> {
  if (request.body instanceof Uint8Array) {
    yield request.body;
  } else if (request.body !== undefined || request.readableEnded) {
    throw new TypeError(
      'The body was parsed before it was verified: mount the webhook before any body parser.',
    );
  } else {
    // An early end of this loop must leave the socket to the answer.
    yield* request.iterator({ destroyOnReturn: false });
  }
}

async function* noBody(): AsyncGenerator<Uint8Array> {}
