/**
 * socket.io's parser with limits on the size of one message. socket.io spreads the values of an event as arguments of a function
 * (`listener.apply(socket, args)`), and an array of about 100,000 of them throws outside of any handler and ends the process.
 */
import { Decoder, Encoder } from 'socket.io-parser';

export interface MessageLimits {
  /** Arguments of an event or an acknowledgement, including the event's name. */
  arguments: number;
  /** Levels of nesting. */
  depth: number;
  /** Values on all levels together, estimated by counting commas. */
  values: number;
}

/** The first character of a message (socket.io protocol, version 5). */
const CONNECT = '0';
const BINARY_EVENT = '5';
const BINARY_ACK = '6';
/** A client connects to a namespace once, and again after leaving it: far fewer times on one connection. */
const MAX_CONNECTS = 100;

/** For the `parser` option of a socket.io server. A message that exceeds a limit closes its connection, as a malformed one does. */
export function boundedParser(limits: MessageLimits) {
  class BoundedDecoder extends Decoder {
    #connects = 0;

    override add(chunk: unknown): void {
      if (typeof chunk !== 'string') throw new Error('binary messages are not accepted');
      const type = chunk.charAt(0);
      if (type === BINARY_EVENT || type === BINARY_ACK) throw new Error('binary messages are not accepted');
      if (type === CONNECT && (this.#connects += 1) > MAX_CONNECTS)
        throw new Error('too many namespace connections');
      if (!isWithin(chunk, limits)) throw new Error('the message exceeds the limits');
      super.add(chunk);
    }
  }
  return { Encoder, Decoder: BoundedDecoder };
}

/** Measured on the text, because parsing would already allocate the values. */
export function isWithin(message: string, limits: MessageLimits): boolean {
  let depth = 0;
  let args = 1;
  let values = 1;
  let quoted = false;
  for (let at = payloadStart(message); at < message.length; at += 1) {
    const char = message[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '[' || char === '{') {
      if ((depth += 1) > limits.depth) return false;
    } else if (char === ']' || char === '}') depth -= 1;
    else if (char === ',') {
      if (depth === 1 && (args += 1) > limits.arguments) return false;
      if ((values += 1) > limits.values) return false;
    }
  }
  return true;
}

/** After the namespace, whose name may hold anything but a comma. */
function payloadStart(message: string): number {
  if (message.charAt(1) !== '/') return 1;
  const comma = message.indexOf(',');
  return comma === -1 ? message.length : comma + 1;
}
