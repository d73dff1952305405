/** The HTTP/2 connections of this process to push services, by name. Their number is limited: those that are not in use are closed. */
import { connectHttp2 } from '../../egress/connect-http2.ts';
import type { Http2ConnectOptions } from '../../egress/connect-http2.ts';
import { Http2Connection } from './http2-connection.ts';
import type { Http2ConnectionOptions } from './http2-connection.ts';
import type { PushLog } from './push-sender.ts';

const MAX_CONNECTIONS = 100;

export class Http2Connections {
  readonly #byKey = new Map<string, Http2Connection>();
  readonly #options: Http2ConnectOptions;
  readonly #log: PushLog | undefined;

  constructor(options: Http2ConnectOptions, log: PushLog | undefined) {
    this.#options = options;
    this.#log = log;
  }

  /** Null: all connections are in use. */
  of(
    key: string,
    url: string,
    { isAccepted }: Pick<Http2ConnectionOptions, 'isAccepted'>,
  ): Http2Connection | null {
    const known = this.#byKey.get(key);
    if (known) return known;
    if (this.#byKey.size >= MAX_CONNECTIONS && !this.#closeLeastRecentlyUsed()) return null;
    const connection = new Http2Connection({
      connect: () => connectHttp2(url, this.#options),
      isAccepted,
      onOpen: () => this.#log?.debug({ url }, 'connection to push service opened'),
      onClose: (reason) => this.#log?.debug({ url, reason }, 'connection to push service closed'),
    });
    this.#byKey.set(key, connection);
    return connection;
  }

  closeAll(): void {
    for (const connection of this.#byKey.values()) connection.close();
    this.#byKey.clear();
  }

  #closeLeastRecentlyUsed(): boolean {
    const [oldest] = [...this.#byKey]
      .filter(([, { isIdle }]) => isIdle)
      .toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    if (!oldest) return false;
    const [key, connection] = oldest;
    connection.close();
    return this.#byKey.delete(key);
  }
}
