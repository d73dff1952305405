/** The call permission of one customer for one business number, with Meta's limits. Pure. */
import { GraphError } from './errors.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

export interface PermissionLimits {
  readonly requestsPerDay: number;
  readonly requestsPerWeek: number;
  /** Connected business-initiated calls of a pair in 24 hours. */
  readonly connectedCallsPerDay: number;
  readonly temporaryPermissionMs: number;
  /** After so many unanswered calls in a row the customer is asked whether to keep the permission. */
  readonly unansweredUntilReconsider: number;
  /** After so many the permission is revoked. */
  readonly unansweredUntilRevoked: number;
}

export const defaultPermissionLimits: PermissionLimits = {
  requestsPerDay: 1,
  requestsPerWeek: 2,
  connectedCallsPerDay: 100,
  temporaryPermissionMs: WEEK_MS,
  unansweredUntilReconsider: 2,
  unansweredUntilRevoked: 4,
};

export type Permission =
  | { readonly status: 'no_permission' }
  | { readonly status: 'temporary'; readonly expiresAt: number }
  | { readonly status: 'permanent' };

export interface Pair {
  readonly permission: Permission;
  /** When requests were sent since the last connected call. */
  readonly requestedAt: readonly number[];
  readonly connectedAt: readonly number[];
  readonly unanswered: number;
}

export const newPair: Pair = {
  permission: { status: 'no_permission' },
  requestedAt: [],
  connectedAt: [],
  unanswered: 0,
};

/** A temporary permission ends by itself, without a webhook. */
export const permissionAt = ({ permission }: Pair, now: number): Permission =>
  permission.status === 'temporary' && permission.expiresAt <= now ? { status: 'no_permission' } : permission;

export const grant = (pair: Pair, permanent: boolean, now: number, limits: PermissionLimits): Pair => ({
  ...pair,
  unanswered: 0,
  permission: permanent
    ? { status: 'permanent' }
    : { status: 'temporary', expiresAt: now + limits.temporaryPermissionMs },
});

export const revoke = (pair: Pair): Pair => ({ ...pair, permission: { status: 'no_permission' } });

const since = (moments: readonly number[], from: number): readonly number[] =>
  moments.filter((at) => at > from);

/** Throws 138017 or 138009. */
export function requestPermission(pair: Pair, now: number, limits: PermissionLimits): Pair {
  if (pair.permission.status === 'permanent') throw new GraphError(138017);
  const day = since(pair.requestedAt, now - DAY_MS).length;
  const week = since(pair.requestedAt, now - WEEK_MS).length;
  if (day >= limits.requestsPerDay)
    throw new GraphError(138009, `At most ${limits.requestsPerDay} request(s) in 24 hours to the same user.`);
  if (week >= limits.requestsPerWeek)
    throw new GraphError(138009, `At most ${limits.requestsPerWeek} request(s) in 7 days to the same user.`);
  return { ...pair, requestedAt: [...since(pair.requestedAt, now - WEEK_MS), now] };
}

/** Throws 138006 or 138012. */
export function assertMayCall(pair: Pair, now: number, limits: PermissionLimits): void {
  if (permissionAt(pair, now).status === 'no_permission')
    throw new GraphError(138006, 'The user has not given this business number a call permission.');
  const recent = since(pair.connectedAt, now - DAY_MS);
  if (recent.length < limits.connectedCallsPerDay) return;
  const next = (recent[0] ?? now) + DAY_MS;
  throw new GraphError(
    138012,
    `At most ${limits.connectedCallsPerDay} connected calls in 24 hours. The next call is possible at ${Math.ceil(next / 1000)}.`,
  );
}

/** A connected call in either direction resets the requests and the unanswered calls; only outbound ones count against the limit. */
export const connected = (pair: Pair, businessInitiated: boolean, now: number): Pair => ({
  ...pair,
  requestedAt: [],
  unanswered: 0,
  connectedAt: businessInitiated ? [...since(pair.connectedAt, now - DAY_MS), now] : pair.connectedAt,
});

/** A declined call counts like an unanswered one. */
export function unanswered(
  pair: Pair,
  limits: PermissionLimits,
): { pair: Pair; outcome: 'nothing' | 'reconsider' | 'revoked' } {
  const count = pair.unanswered + 1;
  const next = { ...pair, unanswered: count };
  if (count >= limits.unansweredUntilRevoked && pair.permission.status !== 'no_permission')
    return { pair: { ...revoke(next), unanswered: 0 }, outcome: 'revoked' };
  return { pair: next, outcome: count === limits.unansweredUntilReconsider ? 'reconsider' : 'nothing' };
}

/** The response of `GET /{phone-number-id}/call_permissions`. */
export function describePair(pair: Pair, now: number, limits: PermissionLimits): object {
  const permission = permissionAt(pair, now);
  const limit = (period: string, ms: number, max: number, moments: readonly number[]): object => {
    const used = since(moments, now - ms);
    return {
      time_period: period,
      max_allowed: max,
      current_usage: used.length,
      ...(used[0] === undefined ? {} : { limit_expiration_time: Math.ceil((used[0] + ms) / 1000) }),
    };
  };
  const succeeds = (check: () => unknown): boolean => {
    try {
      check();
      return true;
    } catch {
      return false;
    }
  };
  return {
    messaging_product: 'whatsapp',
    permission: {
      status: permission.status,
      ...(permission.status === 'temporary'
        ? { expiration_time: Math.floor(permission.expiresAt / 1000) }
        : {}),
    },
    actions: [
      {
        action_name: 'send_call_permission_request',
        can_perform_action: succeeds(() => requestPermission(pair, now, limits)),
        limits: [
          limit('PT24H', DAY_MS, limits.requestsPerDay, pair.requestedAt),
          limit('P7D', WEEK_MS, limits.requestsPerWeek, pair.requestedAt),
        ],
      },
      {
        action_name: 'start_call',
        can_perform_action: succeeds(() => assertMayCall(pair, now, limits)),
        limits: [limit('PT24H', DAY_MS, limits.connectedCallsPerDay, pair.connectedAt)],
      },
    ],
  };
}
