/**
 * Limits for connections that have not authenticated: their number per address, and the number and size of their messages. socket.io's
 * `connectTimeout` limits their time.
 */
import type { IncomingMessage } from 'node:http';
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Socket } from 'socket.io';
import type { LimitedWarnings } from '../lib/limited-warnings.ts';
import { clientAddress, hasUntrustedForwarding } from './client-address.ts';

/** engine.io's connection, which carries the namespaces. */
type Connection = Socket['conn'];

/** An office behind one address whose agents all reconnect at the same time after a restart. */
export const MAX_UNAUTHENTICATED_PER_ADDRESS = 200;
/** A handshake with its token. */
export const MAX_UNAUTHENTICATED_MESSAGE_BYTES = 16 * 1024;
/** A handshake, another one after a refusal, and pongs until `connectTimeout`. */
export const MAX_UNAUTHENTICATED_MESSAGES = 10;

const TOO_MANY = 'socket rejected: too many unauthenticated sockets from one address';
const TOO_MANY_FORWARDED = `${TOO_MANY}; X-Forwarded-For is not trusted: if your own proxy sends it, set CLARION_TRUSTED_PROXIES`;

export class Unauthenticated {
  readonly #secrets: SecretBox;
  readonly #warnings: LimitedWarnings;
  readonly #perAddress = new Map<string, number>();
  readonly #release = new WeakMap<Connection, () => void>();

  constructor({ secrets, warnings }: { secrets: SecretBox; warnings: LimitedWarnings }) {
    this.#secrets = secrets;
    this.#warnings = warnings;
  }

  /** Checked before a connection is accepted. */
  allows(request: IncomingMessage): boolean {
    const address = clientAddress(request, this.#secrets);
    const allowed = (this.#perAddress.get(address) ?? 0) < MAX_UNAUTHENTICATED_PER_ADDRESS;
    if (!allowed)
      this.#warnings.warn({ address }, hasUntrustedForwarding(request) ? TOO_MANY_FORWARDED : TOO_MANY);
    return allowed;
  }

  /** Called for every new connection. */
  watch(connection: Connection): void {
    const address = clientAddress(connection.request, this.#secrets);
    this.#perAddress.set(address, (this.#perAddress.get(address) ?? 0) + 1);
    let messages = 0;
    const measure = ({ data }: { data?: unknown }) => {
      messages += 1;
      const size = typeof data === 'string' ? Buffer.byteLength(data) : 0;
      if (messages <= MAX_UNAUTHENTICATED_MESSAGES && size <= MAX_UNAUTHENTICATED_MESSAGE_BYTES) return;
      this.#warnings.warn(
        { address, messages, size },
        'unauthenticated socket closed: it sent too many or too large messages',
      );
      connection.close(true);
    };
    const release = () => {
      if (!this.#release.delete(connection)) return;
      connection.off('packet', measure);
      const left = (this.#perAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    };
    this.#release.set(connection, release);
    connection.on('packet', measure);
    connection.once('close', release);
  }

  /** The connection has authenticated. */
  admitted(connection: Connection): void {
    this.#release.get(connection)?.();
  }
}
