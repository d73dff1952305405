/**
 * The permission of a customer to be called from a WhatsApp line: a fold of what Meta and our calls report. Meta sends no webhook when a
 * temporary permission expires or when unanswered calls revoke one, so both follow from the state. Events of an earlier time than the
 * last change do not change it back, whatever their order of arrival. Pure.
 */
import type { WhatsAppPermissionStatus } from '@clarion/protocol/v1/call/whatsapp-permission';
import type { CurrentPermission } from './graph-bodies.ts';

/** Meta revokes the permission after so many unanswered calls in a row. */
export const REVOKED_AFTER_UNANSWERED = 4;
/** How long a temporary permission lasts if Meta does not say when it ends. */
export const TEMPORARY_PERMISSION_MS = 7 * 24 * 60 * 60_000;

/** EXPIRED is not stored: it follows from the time. */
export type StoredPermissionStatus = Exclude<WhatsAppPermissionStatus, 'EXPIRED'>;

export interface PermissionState {
  status: StoredPermissionStatus;
  /** Of a temporary permission. */
  expiresAt: Date | null;
  /** Calls in a row that the customer did not answer. */
  unansweredCalls: number;
  requestedAt: Date | null;
  /** When the event occurred that `status` follows from; null for UNKNOWN. */
  changedAt: Date | null;
}

export const unknownPermission: PermissionState = {
  status: 'UNKNOWN',
  expiresAt: null,
  unansweredCalls: 0,
  requestedAt: null,
  changedAt: null,
};

export type PermissionEvent =
  /** The customer replied, or changed the permission in the profile of the business. */
  | { kind: 'replied'; at: Date; accepted: boolean; permanent: boolean; expiresAt: Date | null }
  /** Meta's own record. */
  | { kind: 'read'; at: Date; permission: CurrentPermission }
  | { kind: 'requested'; at: Date }
  /** Meta refused a call because there is no permission (138006). */
  | { kind: 'call-refused'; at: Date }
  /** A call of ours ended without an answer. Reported once per call. */
  | { kind: 'unanswered'; at: Date }
  /** A call with the customer was answered. */
  | { kind: 'answered'; at: Date };

export function applyPermission(state: PermissionState, event: PermissionEvent): PermissionState {
  const { at } = event;
  switch (event.kind) {
    case 'requested':
      return { ...state, requestedAt: laterOf(state.requestedAt, at) };
    case 'answered':
      return { ...state, unansweredCalls: 0 };
    case 'unanswered':
      return afterUnanswered(state, at);
    case 'call-refused':
      return withoutPermission(state, at);
    case 'replied':
      if (!event.accepted) {
        return changed(state, at, {
          status: hadPermission(state, at) ? 'REVOKED' : 'DECLINED',
          expiresAt: null,
        });
      }
      return granted(state, at, event.permanent ? 'permanent' : 'temporary', event.expiresAt);
    case 'read': {
      const { status, expiresAt } = event.permission;
      return status === 'none' ? withoutPermission(state, at) : granted(state, at, status, expiresAt);
    }
  }
}

const hadPermission = ({ status, expiresAt }: PermissionState, at: Date) =>
  status === 'PERMANENT' || (status === 'TEMPORARY' && (expiresAt === null || expiresAt > at));

/** Meta reports that there is none. DECLINED, REVOKED and an expired permission say more than that. */
function withoutPermission(state: PermissionState, at: Date): PermissionState {
  if (hadPermission(state, at)) return changed(state, at, { status: 'REVOKED', expiresAt: null });
  return state.status === 'UNKNOWN' ? changed(state, at, { status: 'NONE', expiresAt: null }) : state;
}

function granted(
  state: PermissionState,
  at: Date,
  how: 'temporary' | 'permanent',
  expiresAt: Date | null,
): PermissionState {
  if (how === 'permanent') return changed(state, at, { status: 'PERMANENT', expiresAt: null });
  const until = expiresAt ?? new Date(at.getTime() + TEMPORARY_PERMISSION_MS);
  return changed(state, at, { status: 'TEMPORARY', expiresAt: until });
}

function afterUnanswered(state: PermissionState, at: Date): PermissionState {
  const counted = { ...state, unansweredCalls: state.unansweredCalls + 1 };
  return counted.unansweredCalls >= REVOKED_AFTER_UNANSWERED && hadPermission(counted, at)
    ? changed(counted, at, { status: 'REVOKED', expiresAt: null })
    : counted;
}

/** Meta's times are whole seconds: a reply may follow in the second in which we last read the permission, and be given its beginning. */
const secondOf = (at: Date): number => Math.floor(at.getTime() / 1000);

/** A permission that is granted again starts with no unanswered calls. */
function changed(
  state: PermissionState,
  at: Date,
  to: Pick<PermissionState, 'status' | 'expiresAt'>,
): PermissionState {
  if (state.changedAt !== null && secondOf(at) < secondOf(state.changedAt)) return state;
  const again = !hadPermission(state, at) && (to.status === 'TEMPORARY' || to.status === 'PERMANENT');
  return { ...state, ...to, changedAt: at, ...(again && { unansweredCalls: 0 }) };
}

const laterOf = (a: Date | null, b: Date): Date => (a !== null && a > b ? a : b);

export interface CurrentStatus {
  status: WhatsAppPermissionStatus;
  /** Whether a permission is known. A call without one is placed all the same, and Meta decides. */
  canCall: boolean;
}

export function currentPermission({ status, expiresAt }: PermissionState, now: Date): CurrentStatus {
  if (status === 'TEMPORARY' && expiresAt !== null && expiresAt <= now)
    return { status: 'EXPIRED', canCall: false };
  return { status, canCall: status === 'TEMPORARY' || status === 'PERMANENT' };
}
