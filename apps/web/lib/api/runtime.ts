/** What all requests of this process share: the database, authentication, the rate limiter. Created once, on first use. */
import { createEgress } from '@clarion/core/egress/guard';
import { LAST_USE_EVERY_MS, noteLastUse } from '@clarion/core/note-last-use';
import { MemoryPrices } from '@clarion/core/price-book/memory-prices';
import { pushUrls } from '@clarion/core/push/push-urls';
import { createPushSender } from '@clarion/core/push/send/push-sender';
import type { PushSender } from '@clarion/core/push/send/push-sender';
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Settings } from '@clarion/core/context';
import { storeSettings } from '@clarion/store/settings';
import { createStore } from '@clarion/store/store';
import type { Store } from '@clarion/store/store';
import { purgeSessions } from '@clarion/core/session/purge-sessions';
import { createGraphClient } from '@clarion/core/whatsapp/graph-client';
import { createLineReader } from '@clarion/core/whatsapp/line-reader';
import type { LineReader } from '@clarion/core/whatsapp/line-reader';
import { purgeWhatsAppEvents } from '@clarion/core/whatsapp/purge-events';
import { createDatabase, listen } from '@clarion/db';
import { CORRECTED, DatabaseClock } from '@clarion/db/database-clock';
import type { Database } from '@clarion/db';
import pino from 'pino';
import type { Logger } from 'pino';
import { readEnv } from '../../env.ts';
import type { Env } from '../../env.ts';
import { createLastUse } from '../last-use.ts';
import { secretsOf } from '../security/secrets.ts';
import { createSessionAuthenticator } from './session-authenticator.ts';
import type { SessionAuthenticator } from './session-authenticator.ts';
import { appUrl } from './session-cookie.ts';
import { createAuthenticator, keysIn } from './auth.ts';
import type { Authenticator } from './auth.ts';
import { purgeOldKeys } from './idempotency.ts';
import { createRateLimiter } from './rate-limit.ts';
import type { RateLimiter } from './rate-limit.ts';

export interface Runtime {
  env: Env;
  db: Database;
  log: Logger;
  secrets: SecretBox;
  store: Store;
  settings: Settings;
  /** In memory. */
  prices: MemoryPrices;
  authenticator: Authenticator;
  /** Dashboard sessions. */
  sessions: SessionAuthenticator;
  rateLimiter: RateLimiter;
  /** What Meta reports about WhatsApp lines. */
  lineReader: LineReader;
  /** For test pushes; the worker sends those of calls. */
  pushSender: PushSender;
  now: () => Date;
  /** Resolves when this process receives notifications of changes. */
  ready: Promise<void>;
  stop(): Promise<void>;
}

/** How often old idempotency keys, rate windows, WhatsApp events and sessions are purged. */
const PURGE_EVERY_MS = 10 * 60_000;

export function createRuntime(env: Env, options: { now?: () => Date; log?: Logger } = {}): Runtime {
  const log = options.log ?? pino({ name: 'web', level: env.CLARION_LOG_LEVEL });
  const db = createDatabase(env.DATABASE_URL);
  const clock = new DatabaseClock(db, {
    onCorrected: (correctionMs) => log.warn({ correctionMs }, CORRECTED),
  });
  const now = options.now ?? clock.now;
  const secrets = secretsOf(env);
  const egress = createEgress({ allowPrivate: env.CLARION_ALLOW_PRIVATE_EGRESS });
  const graph = createGraphClient({ egress, baseUrl: env.CLARION_GRAPH_URL });
  const pushSender = createPushSender({
    egress,
    urls: pushUrls(env),
    allowPrivate: env.CLARION_ALLOW_PRIVATE_EGRESS,
    now,
    log,
  });
  const rateLimiter = createRateLimiter(db, log);
  const lastUse = (what: string, of: Parameters<typeof noteLastUse>[1]) =>
    createLastUse({
      what,
      stepMs: LAST_USE_EVERY_MS,
      write: (uses) => noteLastUse(db, of, uses),
      log,
    });
  const keyUse = lastUse('API keys', 'apiKey');
  const authenticator = createAuthenticator(keysIn(db), {
    now,
    isCurrent: () => listener.isCurrent(),
    onUse: (keyId, at) => keyUse.note(keyId, at),
  });
  const seen = lastUse('sessions', 'session');
  const sessions = createSessionAuthenticator({
    db,
    secrets,
    now,
    isCurrent: () => listener.isCurrent(),
    onSeen: (sessionId, at) => seen.note(sessionId, at),
  });
  const prices = new MemoryPrices(db, {
    isCurrent: () => listener.isCurrent(),
    now,
    onError: (err, deckId) => log.warn({ err, deckId }, 'a rate deck could not be read into memory'),
  });
  const listener = listen(
    env.DATABASE_URL,
    {
      clarion_key: (keyId) => authenticator.evictKey(Number(keyId)),
      clarion_consumer: (consumerId) => {
        authenticator.evictConsumer(Number(consumerId));
        sessions.evictConsumer(Number(consumerId));
      },
      clarion_session: (sessionId) => sessions.evictSession(Number(sessionId)),
      clarion_staff: (staffUserId) => sessions.evictStaff(Number(staffUserId)),
      clarion_price_plan: (planId) => prices.forgetPlan(Number(planId)),
      clarion_rates: (deckId) => prices.forgetDeck(Number(deckId)),
    },
    {
      onConnect: () => {
        authenticator.evictAll();
        sessions.evictAll();
        prices.forgetAll();
      },
      onError: (err) => log.warn({ err }, 'notification connection for API keys and accounts lost'),
    },
  );
  const purge = setInterval(() => {
    Promise.all([
      purgeOldKeys(db, now()),
      rateLimiter.purgeOldWindows(now()),
      purgeWhatsAppEvents(db, now()),
      purgeSessions(db, now()),
    ]).catch((err: unknown) => log.warn({ err }, 'retention sweep failed'));
  }, PURGE_EVERY_MS);
  purge.unref();
  if (!options.now) void clock.start();
  return {
    env,
    db,
    log,
    secrets,
    store: createStore(storeSettings(env), { secrets, baseUrl: env.CLARION_BASE_URL }),
    settings: {
      baseUrl: env.CLARION_BASE_URL,
      appUrl: appUrl(env),
      ingressDomain: env.CLARION_INGRESS_DOMAIN,
      allowPrivateEgress: env.CLARION_ALLOW_PRIVATE_EGRESS,
      operatorName: env.CLARION_OPERATOR_NAME,
    },
    prices,
    authenticator,
    sessions,
    rateLimiter,
    lineReader: createLineReader({ graph, secrets, now }),
    pushSender,
    now,
    ready: listener.ready,
    async stop() {
      clearInterval(purge);
      clock.stop();
      await listener.stop();
      await prices.close();
      await rateLimiter.stop();
      await keyUse.stop();
      await seen.stop();
      await Promise.all([egress.close(), pushSender.close()]);
      await db.$disconnect();
    },
  };
}

declare global {
  /** Route bundles may each contain a copy of this module, but the process has one runtime. */
  var clarionWeb: Runtime | undefined;
}

export const runtime = (): Runtime => (globalThis.clarionWeb ??= createRuntime(readEnv()));

/** Tests bring their own database. */
export function useRuntime(given: Runtime): void {
  globalThis.clarionWeb = given;
}
