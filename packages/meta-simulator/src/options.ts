/** The options of the simulator, and their defaults. */
import { defaultRateLimits, type RateLimits } from './graph/rate.ts';
import type { CustomerMediaFactory } from './media/customer-media.ts';
import { defaultMediaTimeouts } from './protocol/media-watchdog.ts';
import { defaultPermissionLimits } from './protocol/permissions.ts';
import type { NewNumber } from './world/people.ts';
import type { NewCustomer, WorldLimits, WorldTimeouts } from './world/world.ts';

export const GRAPH_PORT = 4620;
export const CONTROL_PORT = 4621;

export interface MetaSimulatorOptions {
  /** Where webhooks go; null sends them only to an `override_callback_uri`. */
  readonly webhookUrl: string | null;
  readonly appSecret: string;
  /** Of the handshake with the webhook. */
  readonly verifyToken: string;
  readonly accessTokens: readonly string[];
  readonly numbers: readonly NewNumber[];
  readonly customers?: readonly NewCustomer[];
  readonly host?: string;
  /** 0 takes a free port. */
  readonly port?: number;
  /** Null starts no control API. */
  readonly controlPort?: number | null;
  /** A web page of this origin may use the control API. */
  readonly controlOrigin?: string | null;
  /** `realMedia()` by default. */
  readonly media?: CustomerMediaFactory;
  /** `inPage()` by default. */
  readonly pageMedia?: CustomerMediaFactory;
  readonly limits?: Partial<WorldLimits & RateLimits>;
  readonly timeouts?: Partial<WorldTimeouts>;
  readonly retryDelaysMs?: readonly number[];
  /** False: accounts must be subscribed by `POST /{waba}/subscribed_apps`. */
  readonly subscribed?: boolean;
  /** Progress, one line each. */
  readonly log?: (line: string) => void;
}

export const defaultLimits: WorldLimits & RateLimits = {
  ...defaultPermissionLimits,
  ...defaultRateLimits,
  concurrentCalls: 1000,
  connectsPerDay: 10_000,
};

export const defaultTimeouts: WorldTimeouts = {
  ...defaultMediaTimeouts,
  acceptMs: 45_000,
  ringMs: 60_000,
  ringingAfterMs: 200,
};
