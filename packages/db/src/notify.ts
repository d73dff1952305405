/**
 * LISTEN/NOTIFY between processes. A notification reports that something changed and is delivered when the sender's transaction commits; a
 * process that was not listening then misses it. So each listener also checks for changes periodically.
 */
import pg from 'pg';
import type { Prisma } from './generated/client.ts';

/** Channel → its payload. */
export const notifyChannels = [
  /** EngineOutbox ID: effects of a call that was stepped by a process without sockets. */
  'clarion_call',
  /** Queue ID: the queue or its members changed. */
  'clarion_queue',
  /** Agent ID: the agent was deleted, or data shown by their apps has changed. */
  'clarion_agent',
  /** Tenant ID: it was suspended or deleted, or its settings have changed. */
  'clarion_tenant',
  /** `tenantId:callId,callId…:nodeId`: the tenant's live board has changed. Calls and the sender's node ID may be absent. */
  'clarion_board',
  /** Agent ID: the agent was renamed or has another ref (sent by a trigger). */
  'clarion_agent_name',
  /** Queue ID: its name or ref has changed, or it was deleted (sent by a trigger). */
  'clarion_queue_name',
  /** Channel ID: its address or display name has changed, or it was deleted (sent by a trigger). */
  'clarion_channel_name',
  /** Empty: a trunk was created, changed or deleted, or the address at which one is registered has changed (sent by triggers). */
  'clarion_trunk',
  /** Trunk ID: a test of the trunk was requested. */
  'clarion_trunk_test',
  /** Price plan ID: it was changed or deleted (sent by a trigger). */
  'clarion_price_plan',
  /** Empty: a realtime node was registered or removed (sent by a trigger). */
  'clarion_realtime_node',
  /** Consumer ID: any column of its row changed (sent by a trigger). */
  'clarion_consumer',
  /** API key ID: it was revoked, or its expiry changed (sent by a trigger). */
  'clarion_key',
  /** Signing key ID: it was revoked (sent by a trigger). */
  'clarion_signing_key',
  /** DashboardSession ID: it was revoked or deleted, or its end changed (sent by a trigger). */
  'clarion_session',
  /** StaffUser ID: role, name or permission to sign in has changed, or the user was deleted (sent by a trigger). */
  'clarion_staff',
  /** WhatsAppEvent ID: the platform sent an event of a call on one of our lines. */
  'clarion_whatsapp',
  /** RateDeck ID: its prices have changed, or it was deleted (sent by triggers). */
  'clarion_rates',
  /** Empty: a process has recorded events that may be due for delivery. Coalesced, and sent after the transaction. */
  'clarion_delivery',
  /** Empty: a step of a call has recorded push notifications. Coalesced, and sent after the transaction. */
  'clarion_push',
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
/** A query on the listening connection. Its result arrives after the notifications that were sent before it. */
const PING_EVERY_MS = 375;
/** The same while nobody asks whether notifications are current: often enough that they are, if the answer comes within 50 ms. */
const IDLE_PING_EVERY_MS = 750;
/** For how long after a question `isCurrent` the more frequent queries continue: they tolerate answers that take 0.4 s. */
const ASKED_WITHIN_MS = 2_000;
/** A listener that is current has received every notification that was sent longer ago than this. */
export const NOTIFIED_WITHIN_MS = 1_000;
/** If a query sent no longer ago than this was answered, notifications are current: minus the time to notice. */
const CURRENT_MS = NOTIFIED_WITHIN_MS - 200;
/** A connection without a result for this long is dead, even if TCP has not reported it. */
const SILENT_MS = 5_000;

export interface ListenOptions {
  /** Called after every connection, including the first: notifications sent before it were missed. */
  onConnect?: () => void;
  onError?: (error: Error) => void;
  /** By which others find the connection in pg_stat_activity; at most 63 bytes. */
  applicationName?: string;
}

export interface Listener {
  /** Resolves when the first connection listens. */
  ready: Promise<void>;
  /** Whether every notification sent until a second ago has been received: false while disconnected or on a dead connection. */
  isCurrent(): boolean;
  stop(): Promise<void>;
}

/** Listens on a dedicated connection, and reconnects whenever it is lost. */
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
  /** When the last answered query was sent. */
  let heardAt = -Infinity;
  /** When somebody last asked whether notifications are current. */
  let wantedAt = -Infinity;
  const { promise: ready, resolve } = Promise.withResolvers<void>();

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: databaseUrl,
      keepAlive: true,
      ...(options.applicationName !== undefined && { application_name: options.applicationName }),
    });
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
    let turns = 0;
    pings = setInterval(() => {
      const at = performance.now();
      turns += 1;
      const isIdle = at - wantedAt > ASKED_WITHIN_MS;
      if (askedAt !== null && at - askedAt > SILENT_MS) {
        onLoss(new Error(`the connection was silent for ${SILENT_MS} ms`));
        void next.end().catch(() => undefined);
        return;
      }
      if (askedAt !== null || (isIdle && turns * PING_EVERY_MS < IDLE_PING_EVERY_MS)) return;
      askedAt = at;
      turns = 0;
      next.query('select 1').then(
        () => {
          askedAt = null;
          if (!lost) heardAt = at;
        },
        () => undefined, // 'error' or 'end' reports it as well
      );
    }, PING_EVERY_MS);
    pings.unref();
  };
  void connect();

  return {
    ready,
    isCurrent() {
      wantedAt = performance.now();
      return wantedAt - heardAt < CURRENT_MS;
    },
    async stop() {
      stopped = true;
      heardAt = -Infinity;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
