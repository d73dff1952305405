/** What an app must do about a push notification. Pure. */
import type { WithdrawReason } from '@clarion/protocol/enums';
import type { IncomingPushPayload, PushPayload } from '@clarion/protocol/push-payload';
import type { AgentBase } from '../agent/agent.ts';
import type { Call } from '../agent/call.ts';
import { ClarionError } from '../agent/errors.ts';

/** unreachable: the service did not respond in time, so the call cannot be answered here. */
export type OverReason = 'ended' | 'answered-elsewhere' | 'declined' | 'expired' | 'unreachable';

export type MissedPushPayload = Extract<PushPayload, { type: 'call.missed' }>;

export type PushOutcome =
  /** The call rings: show it, or keep showing it. */
  | { kind: 'ringing'; call: Call }
  /** The call does not ring any more: stop showing it. */
  | { kind: 'over'; callId: number; reason: Exclude<OverReason, 'unreachable'> }
  | { kind: 'over'; callId: number; reason: 'unreachable'; error: ClarionError }
  /** A call to the agent's personal line was not answered: show a notification. */
  | { kind: 'missed'; push: MissedPushPayload }
  /**
   * Nothing to show. duplicate: the call is being shown because of an earlier push notification. answered: this device has the call.
   * superseded: it rings again. other-agent: it is for another agent than the one who is signed in. test: someone tried the
   * credentials. unknown: it is not a push notification of the service.
   */
  | {
      kind: 'ignored';
      reason: 'duplicate' | 'answered' | 'superseded' | 'other-agent' | 'test' | 'unknown';
    };

/** What the state that the service has just sent says about an incoming call. */
export function outcomeOf(
  push: IncomingPushPayload,
  { tenant, info, calls, serviceTime }: Pick<AgentBase, 'tenant' | 'info' | 'calls' | 'serviceTime'>,
): PushOutcome {
  if (tenant?.ref !== push.tenantRef || info?.agentRef !== push.agentRef)
    return { kind: 'ignored', reason: 'other-agent' };
  const callId = Number(push.callId);
  const call = calls.find(({ id }) => id === callId);
  if (call?.state === 'incoming') return { kind: 'ringing', call };
  if (call?.elsewhere) return { kind: 'over', callId, reason: 'answered-elsewhere' };
  if (call) return { kind: 'ignored', reason: 'answered' };
  // By the service's clock, because the phone's may be wrong.
  const expired = serviceTime.getTime() >= Date.parse(push.expiresAt);
  return { kind: 'over', callId, reason: expired ? 'expired' : 'ended' };
}

export const withdrawn: Record<WithdrawReason, Exclude<OverReason, 'unreachable'>> = {
  ANSWERED_ELSEWHERE: 'answered-elsewhere',
  TIMEOUT: 'expired',
  CANCELLED: 'ended',
  DECLINED: 'declined',
};

/** The user accepted a call that cannot be answered any more. The app must end it on its screen. */
export class CallOverError extends ClarionError {
  readonly reason: OverReason;

  constructor(reason: OverReason, cause?: unknown) {
    super('call_ended', MESSAGES[reason], cause === undefined ? {} : { cause });
    this.name = 'CallOverError';
    this.reason = reason;
  }
}

const MESSAGES: Record<OverReason, string> = {
  ended: 'The call has ended.',
  'answered-elsewhere': 'The call was answered on another device or by another agent.',
  declined: 'The call was declined on another device.',
  expired: 'The call rang for too long.',
  unreachable: 'The service could not be reached.',
};

/** Why the service rejected an accept; null if it may still be possible. */
export function overAfterRejection(error: unknown): OverReason | null {
  if (!(error instanceof ClarionError)) return null;
  switch (error.code) {
    case 'invalid_state':
      return 'answered-elsewhere';
    case 'call_ended':
    case 'not_found':
      return 'ended';
    default:
      return null;
  }
}
