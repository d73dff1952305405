/** What happens to SIP messages between a test phone and the server: a network that loses, delays, repeats or rewrites them. */
import { buildSip, type SipMessage } from './sip-message.ts';
import type { OnMessage, SipTransport } from './sip-transport.ts';

export interface Wire {
  /** A message leaves the phone: call `go` for each copy that arrives, whenever it does. Default: once, at once, as it is. */
  leave?(message: SipMessage, go: (text: string) => void): void;
  /** A message reaches the phone: call `take` for each copy, whenever it does. */
  arrive?(message: SipMessage, take: () => void): void;
}

/** Sends through whatever wire there is at the moment. */
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

/** Each copy is a message of its own, because who takes one may add to it. */
export function fromWire(take: OnMessage, wire: () => Wire | null): OnMessage {
  return (message, from) => {
    const through = wire();
    if (!through?.arrive) return take(message, from);
    through.arrive(message, () => take({ ...message, headers: [...message.headers] }, from));
  };
}

export const asText = (message: SipMessage): string => buildSip(message);
