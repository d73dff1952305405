/** A webhook receiver for node:http (Express, Fastify's raw request and others) and for runtimes with the Fetch API's Request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebhookEvent } from './endpoints.ts';
import {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookSecret,
} from './webhook.ts';

/** Far more than the largest event. */
export const MAX_WEBHOOK_BYTES = 1024 * 1024;

export interface WebhookHandlerOptions extends Pick<WebhookOptions, 'toleranceSeconds'> {
  secret: WebhookSecret;
  /**
   * Store the event and process it later: the service waits 10 seconds. Events are delivered at least once, so ignore an `event_id`
   * that you already have. If this throws, the response is 500 and the event is sent again.
   */
  onEvent(event: WebhookEvent): void | Promise<void>;
  /** Called with errors and rejected requests, for logging. */
  onError?(error: unknown): void;
}

export interface WebhookHandler {
  /** For `createServer((request, response) => …)` and Express, before any body parser. */
  node(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** For Next.js route handlers, Hono, Deno, Bun and others. */
  fetch(request: Request): Promise<Response>;
}

/** Responds with 204 for an accepted event, 400 for an invalid signature, 405, 413, or 500 if `onEvent` throws. */
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
      // The rest of a body that is too large is not read, so the connection cannot be reused.
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

/** The raw bytes, from the stream or from a raw body parser such as `express.raw()`. */
async function* bodyOf(request: IncomingMessage & { body?: unknown }): AsyncGenerator<Uint8Array> {
  if (request.body instanceof Uint8Array) {
    yield request.body;
  } else if (request.body !== undefined || request.readableEnded) {
    throw new TypeError(
      'The body was parsed before it was verified: mount the webhook before any body parser.',
    );
  } else {
    // Leaving this loop early must not destroy the socket, which is still needed for the response.
    yield* request.iterator({ destroyOnReturn: false });
  }
}

async function* noBody(): AsyncGenerator<Uint8Array> {}
