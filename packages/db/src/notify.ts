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
  /** Tenant id: it was suspended or deleted, or its settings have changed. */
  'clarion_tenant',
  /** Tenant id, or `tenantId:callId,callId…`: what the supervisors' board of the tenant shows has changed. */
  'clarion_board',
  /** Consumer id: anything of its row changed (told by a trigger). */
  'clarion_consumer',
  /** API key id: it was revoked, or expires at another time (told by a trigger). */
  'clarion_key',
  /** Signing key id: it was revoked (told by a trigger). */
  'clarion_signing_key',
  /** DashboardSession id: it was revoked or deleted, or ends at another time (told by a trigger). */
  'clarion_session',
  /** StaffUser id: role, name or leave to sign in has changed, or they were removed (told by a trigger). */
  'clarion_staff',
  /** WhatsAppEvent id: the platform told something of a call on one of our lines. */
  'clarion_whatsapp',
  /** graphile-worker's own: jobs were added; what its payload says is graphile-worker's business. */
  'jobs:insert',
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
/** A question on the listening connection, whose answer comes after the notifications that were sent before it. */
const PING_EVERY_MS = 250;
/** An answer to a question asked no longer ago than this counts as hearing: a second, less the time to notice. */
const CURRENT_MS = 800;
/** A connection that has not answered for this long is dead, whatever TCP believes. */
const SILENT_MS = 5_000;

export interface ListenOptions {
  /** After every connection, the first one too: notifications sent before it are lost. */
  onConnect?: () => void;
  onError?: (error: Error) => void;
}

export interface Listener {
  /** Resolves once the first connection listens. */
  ready: Promise<void>;
  /** Whether every notification sent until a second ago was heard: not while disconnected, nor on a dead connection. */
  isCurrent(): boolean;
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
  /** When the last question that was answered had been asked. */
  let heardAt = -Infinity;
  const { promise: ready, resolve } = Promise.withResolvers<void>();

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: databaseUrl, keepAlive: true });
    let lost = false;
    let pings: NodeJS.Timeout | null = null;
    const onLoss = (error?: Error): void => {
      if (lost) return;
      lost = true;
      if (pings) clearInterval(pings);
      heardAt = -Infinity;
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
      const askedAt = performance.now();
      await next.query(channels.map((channel) => `listen "${channel}"`).join(';'));
      heardAt = askedAt;
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
    let askedAt: number | null = null;
    pings = setInterval(() => {
      const at = performance.now();
      if (askedAt !== null && at - askedAt > SILENT_MS) {
        onLoss(new Error(`the connection was silent for ${SILENT_MS} ms`));
        void next.end().catch(() => undefined);
        return;
      }
      if (askedAt !== null) return;
      askedAt = at;
      next.query('select 1').then(
        () => {
          askedAt = null;
          if (!lost) heardAt = at;
        },
        () => undefined, // 'error' or 'end' says so as well
      );
    }, PING_EVERY_MS);
    pings.unref();
  };
  void connect();

  return {
    ready,
    isCurrent: () => performance.now() - heardAt < CURRENT_MS,
    async stop() {
      stopped = true;
      heardAt = -Infinity;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
