/**
 * LISTEN/NOTIFY between processes. A notification is a hint that something changed, delivered when the sender's transaction
 * commits; whoever was not listening then has missed it. So each listener also finds out by itself, a little later.
 */
import pg from 'pg';
import type { Prisma } from './generated/client.ts';

/** Channel → what its payload is. */
export const notifyChannels = [
  /** EngineOutbox id: something to run for a call that a process without sockets has stepped. */
  'clarion_call',
  /** Queue id: the queue or its members changed. */
  'clarion_queue',
  /** Agent id: the agent was deleted, or something its apps show has changed. */
  'clarion_agent',
  /** Tenant id: its status or settings changed. */
  'clarion_tenant',
  /** Consumer id: its status changed. */
  'clarion_consumer',
  /** API key id: revoked. */
  'clarion_key',
] as const;
export type NotifyChannel = (typeof notifyChannels)[number];

/** Sends when the transaction commits, and only then. */
export async function notify(
  tx: Prisma.TransactionClient,
  channel: NotifyChannel,
  payload: number | bigint | string,
): Promise<void> {
  await tx.$executeRaw`select pg_notify(${channel}::text, ${String(payload)}::text)`;
}

const RECONNECT_MIN_MS = 200;
const RECONNECT_MAX_MS = 5_000;

export interface ListenOptions {
  /** After every connection, the first one too: notifications sent before it are lost. */
  onConnect?: () => void;
  onError?: (error: Error) => void;
}

export interface Listener {
  /** Resolves once the first connection listens. */
  ready: Promise<void>;
  stop(): Promise<void>;
}

/** Listens on one connection of its own, and connects again whenever that is lost. */
export function listen(
  databaseUrl: string,
  handlers: Partial<Record<NotifyChannel, (payload: string) => void>>,
  options: ListenOptions = {},
): Listener {
  const channels = notifyChannels.filter((channel) => handlers[channel]);
  let client: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  let delay = RECONNECT_MIN_MS;
  const { promise: ready, resolve } = Promise.withResolvers<void>();

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: databaseUrl, keepAlive: true });
    let lost = false;
    const onLoss = (error?: Error): void => {
      if (lost) return;
      lost = true;
      if (error) options.onError?.(error);
      client = undefined;
      if (stopped) return;
      retry = setTimeout(() => void connect(), delay);
      delay = Math.min(delay * 2, RECONNECT_MAX_MS);
    };
    next.on('error', onLoss);
    next.on('end', () => onLoss());
    next.on('notification', ({ channel, payload }) => {
      const known = channels.find((name) => name === channel);
      if (known) handlers[known]?.(payload ?? '');
    });
    try {
      await next.connect();
      await next.query(channels.map((channel) => `listen ${channel}`).join(';'));
    } catch (error) {
      onLoss(error instanceof Error ? error : new Error(String(error)));
      await next.end().catch(() => undefined);
      return;
    }
    if (stopped) {
      await next.end();
      return;
    }
    client = next;
    delay = RECONNECT_MIN_MS;
    resolve();
    options.onConnect?.();
  };
  void connect();

  return {
    ready,
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
