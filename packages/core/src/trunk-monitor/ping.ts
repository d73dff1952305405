/** What the response to OPTIONS means: whether a carrier is up, and which observations are worth a write. Pure. */
import type { TrunkPing } from '@clarion/protocol';
import type { OptionsReply } from '@clarion/protocol/carrier-requests';

/** A trunk is down after this many pings in a row without a usable response: one may be lost. */
export const DOWN_AFTER_PINGS = 2;
/** How soon a ping without a usable response is repeated, before the trunk counts as down. Ms. */
export const CONFIRM_MS = 5_000;
/** Unless the carrier goes up or down, its latest ping is stored this often. Ms. */
export const STORE_EVERY_MS = 5 * 60_000;
/** The share of an interval by which it varies, so that the trunks are not pinged together. */
export const PING_JITTER = 0.1;

/** RFC 3261 §21.4.9, §21.5: any other final response proves that the carrier processes requests. */
export const isUp = ({ status }: Pick<OptionsReply, 'status'>): boolean =>
  status !== null && status !== 408 && !(status >= 500 && status < 600);

export const pingOf = (reply: OptionsReply, at: Date): TrunkPing => ({
  up: isUp(reply),
  status: reply.status,
  reason: reply.reason,
  rttMs: reply.rttMs,
  error: reply.error,
  at: at.toISOString(),
  target: reply.target,
});

/** What is known of a trunk. `up` null: it was never pinged. */
export interface Reachability {
  up: boolean | null;
  failures: number;
  storedAt: Date | null;
}

export interface Observation {
  next: Reachability;
  /** store: the ping is written. `changed`: the carrier has gone up or down. */
  store: boolean;
  changed: boolean;
  /** Ping again soon: the last one failed, and this is not enough to call the trunk down. */
  confirm: boolean;
}

export function observe(before: Reachability, ping: Pick<TrunkPing, 'up'>, now: Date): Observation {
  const failures = ping.up ? 0 : before.failures + 1;
  // The first ping of all is stored as it is.
  const up = ping.up ? true : failures >= DOWN_AFTER_PINGS || before.up === null ? false : before.up;
  const changed = up !== before.up;
  // A failed ping that changes nothing yet would contradict the stored state.
  const isConsistent = ping.up === up;
  const isDue = before.storedAt === null || now.getTime() - before.storedAt.getTime() >= STORE_EVERY_MS;
  const store = isConsistent && (changed || isDue);
  return {
    next: { up, failures, storedAt: store ? now : before.storedAt },
    store,
    changed,
    confirm: !isConsistent,
  };
}

/** An interval with jitter. @param random from 0 to 1 */
export const withJitter = (ms: number, share: number, random: number): number =>
  Math.round(ms * (1 + share * (2 * random - 1)));
