/** A simulated network between a test phone and the server, which may lose, delay, repeat or rewrite SIP messages. */
import { buildSip, type SipMessage } from './message.ts';
import type { OnMessage, SipTransport } from './transport.ts';

export interface Wire {
  /** A message leaves the phone: calls `go` for each copy when it arrives. Default: one unchanged copy, immediately. */
  leave?(message: SipMessage, go: (text: string) => void): void;
  /** A message reaches the phone: calls `take` for each copy when it arrives. */
  arrive?(message: SipMessage, take: () => void): void;
}

/** Sends through the current wire. */
export function overWire(transport: SipTransport, wire: () => Wire | null): SipTransport {
  return {
    ...transport,
    send(message, host, port) {
      const through = wire();
      if (!through?.leave) return transport.send(message, host, port);
      through.leave({ ...message, headers: [...message.headers] }, (text) =>
        transport.sendRaw(text, host, port),
      );
    },
  };
}

/** Each copy is a separate object, because the receiver may modify it. */
export function fromWire(take: OnMessage, wire: () => Wire | null): OnMessage {
  return (message, from) => {
    const through = wire();
    if (!through?.arrive) return take(message, from);
    through.arrive(message, () => take({ ...message, headers: [...message.headers] }, from));
  };
}

export const asText = (message: SipMessage): string => buildSip(message);
