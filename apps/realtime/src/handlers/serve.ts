/**
 * The pipeline of every socket message: size, rate, shape, work, ack. A thrown ApiError is the ack; anything else is ours to log.
 * What no app of ours sends, a message beyond the limit or a flood, costs the socket.
 */
import { ApiError, rateLimited } from '@clarion/protocol';
import {
  clientMessages,
  MAX_SOCKET_MESSAGE_BYTES,
  MAX_SOCKET_MESSAGES_PER_10_SECONDS,
} from '@clarion/protocol/socket';
import type { Ack, ClientMessage, ClientPayload, ClientReplies } from '@clarion/protocol/socket';
import type { Logger } from 'pino';
import { dismiss } from '../auth.ts';
import type { Dismissable } from '../auth.ts';

const RATE_WINDOW_MS = 10_000;
/** Up to this many times the allowed rate each message is refused; beyond it the socket is closed. */
const FLOOD_FACTOR = 5;

export type Handler<M extends ClientMessage> = (payload: ClientPayload<M>) => Promise<ClientReplies[M]>;
export type Handlers = { [M in ClientMessage]: Handler<M> };

/** A socket of any namespace whose people send messages. */
export interface ServedSocket extends Dismissable {
  id: string;
  conn: { on(event: 'packet', listener: (packet: { data?: unknown }) => void): unknown };
  onAny(listener: (name: unknown, ...args: unknown[]) => void): unknown;
}

/** @param log says whose socket it is */
export function serve<Served extends ClientMessage>(
  socket: ServedSocket,
  handlers: Pick<Handlers, Served>,
  log: Logger,
): void {
  const limiter = new Limiter();
  cutOversized(socket, log);
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
    const refusal = limiter.take(Date.now());
    if (refusal && limiter.isFlooded) {
      log.warn({ socketId: socket.id }, 'message rate limit exceeded: socket closed');
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
    log.error({ err: error, socketId: socket.id }, 'failed to handle a socket message');
  socket.onAny((name: unknown, ...args: unknown[]) => {
    try {
      receive(name, args)?.catch(failed);
    } catch (error) {
      failed(error);
    }
  });
}

/** The server accepts somewhat more, so that the app gets an error: larger messages close the connection without one. */
function cutOversized(socket: ServedSocket, log: Logger): void {
  socket.conn.on('packet', ({ data }) => {
    const size = typeof data === 'string' ? Buffer.byteLength(data) : 0;
    if (size <= MAX_SOCKET_MESSAGE_BYTES) return;
    log.warn({ socketId: socket.id, size }, 'message size limit exceeded: socket closed');
    dismiss(socket, new ApiError('invalid_request', { message: 'The message is too large.' }));
  });
}

const unknownMessage = {
  ok: false,
  ...new ApiError('invalid_request', { message: 'Unknown message.' }).toBody(),
} as const;

function parse<M extends ClientMessage>(message: M, payload: unknown): ClientPayload<M> {
  const parsed = clientMessages[message].safeParse(payload);
  if (parsed.success) return parsed.data as ClientPayload<M>; // the schema of this message, by its own name
  const [issue] = parsed.error.issues;
  throw new ApiError('invalid_request', {
    message: issue?.message ?? 'The message is invalid.',
    ...(issue && issue.path.length > 0 && { details: { field: issue.path.join('.') } }),
  });
}

function toBody(error: unknown, message: ClientMessage, log: Logger) {
  if (error instanceof ApiError) return error.toBody();
  log.error({ err: error, message }, 'failed to handle a socket message');
  return new ApiError('internal_error').toBody();
}

/** A fixed window per socket. */
class Limiter {
  #windowEnds = 0;
  #taken = 0;

  get isFlooded(): boolean {
    return this.#taken > FLOOD_FACTOR * MAX_SOCKET_MESSAGES_PER_10_SECONDS;
  }

  /** Null: go on. */
  take(now: number): ApiError | null {
    if (now >= this.#windowEnds) {
      this.#windowEnds = now + RATE_WINDOW_MS;
      this.#taken = 0;
    }
    this.#taken += 1;
    return this.#taken > MAX_SOCKET_MESSAGES_PER_10_SECONDS
      ? rateLimited(Math.ceil((this.#windowEnds - now) / 1000))
      : null;
  }
}
