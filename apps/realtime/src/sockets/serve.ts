/**
 * The pipeline of every socket message: size, rate, schema, handler, ack. A thrown ApiError becomes the ack; other errors are logged. A
 * client that sends oversized messages or a flood is disconnected.
 */
import { ApiError, rateLimited } from '@clarion/protocol';
import {
  clientMessages,
  MAX_SOCKET_MESSAGE_BYTES,
  MAX_SOCKET_MESSAGES_PER_10_SECONDS,
} from '@clarion/protocol/socket';
import type { Ack, ClientMessage, ClientPayload, ClientReplies } from '@clarion/protocol/socket';
import type { Logger } from 'pino';
import { dismiss } from './dismiss.ts';
import type { Dismissable } from './dismiss.ts';

const RATE_WINDOW_MS = 10_000;
/** Up to this many times the allowed rate each message is refused; beyond it the socket is closed. */
const FLOOD_FACTOR = 5;

export type Handler<M extends ClientMessage> = (payload: ClientPayload<M>) => Promise<ClientReplies[M]>;
export type Handlers = { [M in ClientMessage]: Handler<M> };

/** A socket of a namespace whose clients send messages. */
export interface ServedSocket extends Dismissable {
  id: string;
  conn: { on(event: 'packet', listener: (packet: { data?: unknown }) => void): unknown };
  onAny(listener: (name: unknown, ...args: unknown[]) => void): unknown;
}

/** @param log has the fields that identify the socket */
export function serve<Served extends ClientMessage>(
  socket: ServedSocket,
  handlers: Pick<Handlers, Served>,
  log: Logger,
): void {
  const limiter = new Limiter();
  disconnectOnOversized(socket, log);
  const answer = async <M extends Served>(message: M, payload: unknown): Promise<Ack<ClientReplies[M]>> => {
    try {
      const handler: Handler<M> = handlers[message];
      return { ok: true, ...(await handler(parse(message, payload))) };
    } catch (error) {
      return { ok: false, ...toBody(error, message, log) };
    }
  };
  const isKnown = (name: unknown): name is Served =>
    typeof name === 'string' && Object.hasOwn(handlers, name);
  const receive = (name: unknown, args: unknown[]): Promise<void> | undefined => {
    const ack = args.at(-1);
    const refusal = limiter.count(Date.now());
    if (refusal && limiter.isFlooded) {
      log.warn({ socketId: socket.id }, 'socket closed: too many messages');
      dismiss(socket, refusal);
      return;
    }
    const reply = refusal
      ? Promise.resolve({ ok: false, ...refusal.toBody() })
      : isKnown(name)
        ? answer(name, args[0])
        : Promise.resolve(unknownMessage);
    return reply.then((body) => {
      if (typeof ack === 'function') ack(body);
    });
  };
  // socket.io does not catch exceptions of a listener: an error in one message would terminate the process for every socket.
  const failed = (error: unknown) =>
    log.error({ err: error, socketId: socket.id }, 'failed to process a socket message');
  socket.onAny((name: unknown, ...args: unknown[]) => {
    try {
      receive(name, args)?.catch(failed);
    } catch (error) {
      failed(error);
    }
  });
}

/** The server's own limit is higher, so that the app receives an error: beyond it the connection closes without one. */
function disconnectOnOversized(socket: ServedSocket, log: Logger): void {
  socket.conn.on('packet', ({ data }) => {
    const size = typeof data === 'string' ? Buffer.byteLength(data) : 0;
    if (size <= MAX_SOCKET_MESSAGE_BYTES) return;
    log.warn({ socketId: socket.id, size }, 'socket closed: message too large');
    dismiss(socket, new ApiError('invalid_request', { message: 'The message is too large.' }));
  });
}

const unknownMessage = {
  ok: false,
  ...new ApiError('invalid_request', { message: 'Unknown message.' }).toBody(),
} as const;

function parse<M extends ClientMessage>(message: M, payload: unknown): ClientPayload<M> {
  const parsed = clientMessages[message].safeParse(payload);
  if (parsed.success) return parsed.data as ClientPayload<M>; // parsed by the schema of this message
  const [issue] = parsed.error.issues;
  throw new ApiError('invalid_request', {
    message: issue?.message ?? 'The message is invalid.',
    ...(issue && issue.path.length > 0 && { details: { field: issue.path.join('.') } }),
  });
}

function toBody(error: unknown, message: ClientMessage, log: Logger) {
  if (error instanceof ApiError) return error.toBody();
  log.error({ err: error, message }, 'failed to process a socket message');
  return new ApiError('internal_error').toBody();
}

/** A fixed window per socket. */
class Limiter {
  #windowEnds = 0;
  #counted = 0;

  get isFlooded(): boolean {
    return this.#counted > FLOOD_FACTOR * MAX_SOCKET_MESSAGES_PER_10_SECONDS;
  }

  /** Null: the message is within the limit. */
  count(now: number): ApiError | null {
    if (now >= this.#windowEnds) {
      this.#windowEnds = now + RATE_WINDOW_MS;
      this.#counted = 0;
    }
    this.#counted += 1;
    return this.#counted > MAX_SOCKET_MESSAGES_PER_10_SECONDS
      ? rateLimited(Math.ceil((this.#windowEnds - now) / 1000))
      : null;
  }
}
