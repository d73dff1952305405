/** The options of a gateway and their defaults. */
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import { FLOOD_BURST, FLOOD_RATE_PER_SECOND } from './agent/flood-guard.ts';
import type { FloodLimits } from './agent/flood-guard.ts';
import type { Log } from './log.ts';
import { silentLog } from './log.ts';
import { T1_MS } from './transaction/timers.ts';
import type { Resolver } from './transport/locate.ts';
import { SIP_PORT, systemResolver } from './transport/locate.ts';
import type { TlsMaterial } from './transport/tls.ts';

/** drachtio's own control port. */
export const CONTROL_PORT = 9022;
/** Timer C. RFC 3261 §16.6 requires more than 3 minutes only of proxies. Ms. */
export const RING_TIMEOUT_MS = 180_000;
/** How long an app may take to respond to an inbound INVITE. Ms. */
export const APP_RESPONSE_TIMEOUT_MS = 64_000;
/** How long calls are kept for an app whose control connection was lost. Short, because nobody is heard meanwhile if the app has died. Ms. */
export const APP_RECONNECT_GRACE_MS = 500;

export interface SipGatewayOptions {
  /** The secret with which apps authenticate. */
  readonly secret: string;
  /** The address that SIP is bound to. */
  readonly bind?: string;
  /** UDP and TCP port; 0 selects a free one. */
  readonly sipPort?: number;
  /** The address that the control port is bound to. */
  readonly controlHost?: string;
  /** 0 selects a free one. */
  readonly controlPort?: number;
  /** The address at which peers outside our network reach us. */
  readonly publicIp?: string;
  /** Enables TLS on its own port (0 selects a free one). */
  readonly tls?: TlsMaterial & { readonly port: number };
  readonly appReconnectGraceMs?: number;
  readonly ringTimeoutMs?: number;
  readonly appResponseTimeoutMs?: number;
  /** RFC 3261 T1; all other transaction timers are derived from it. Ms. */
  readonly t1Ms?: number;
  readonly flood?: Partial<FloodLimits>;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly resolver?: Resolver;
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** The options with all defaults filled in. */
export function resolveOptions(options: SipGatewayOptions) {
  return {
    secret: options.secret,
    bind: options.bind ?? '127.0.0.1',
    sipPort: options.sipPort ?? SIP_PORT,
    controlHost: options.controlHost ?? '127.0.0.1',
    controlPort: options.controlPort ?? CONTROL_PORT,
    publicIp: options.publicIp,
    tls: options.tls,
    appReconnectGraceMs: options.appReconnectGraceMs ?? APP_RECONNECT_GRACE_MS,
    ringTimeoutMs: options.ringTimeoutMs ?? RING_TIMEOUT_MS,
    appResponseTimeoutMs: options.appResponseTimeoutMs ?? APP_RESPONSE_TIMEOUT_MS,
    t1Ms: options.t1Ms ?? T1_MS,
    flood: {
      ratePerSecond: options.flood?.ratePerSecond ?? FLOOD_RATE_PER_SECOND,
      burst: options.flood?.burst ?? FLOOD_BURST,
      unlimited: options.flood?.unlimited ?? new Set(['127.0.0.1', '::1']),
    },
    log: options.log ?? silentLog,
    clock: options.clock ?? systemClock,
    resolver: options.resolver ?? systemResolver,
  };
}
