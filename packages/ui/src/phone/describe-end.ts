import type { PhoneCall, PhoneOutcome } from './model.ts';

export interface EndWords {
  title: string;
  /** Null when the title says it all. */
  detail: string | null;
  tone: 'neutral' | 'bad';
}

/** How a call went, for the person who had it. Reasons the service adds later read as a plain end. */
export function describeEnd(
  { reason, by, failure }: PhoneOutcome,
  { direction }: Pick<PhoneCall, 'direction'>,
): EndWords {
  const neutral = (title: string, detail: string | null = null): EndWords => ({
    title,
    detail,
    tone: 'neutral',
  });
  const bad = (title: string, detail: string | null): EndWords => ({ title, detail, tone: 'bad' });
  switch (reason) {
    case 'COMPLETED':
      if (by === 'AGENT') return neutral('Call ended', 'You hung up.');
      if (by === 'CUSTOMER') return neutral('Call ended', 'The customer hung up.');
      if (by === 'CONSUMER') return neutral('Call ended', 'It was ended from your back office.');
      return neutral('Call ended');
    case 'NO_ANSWER':
      return direction === 'OUTBOUND'
        ? neutral('No answer', 'The customer did not pick up.')
        : neutral('Missed call', 'It rang out before it was answered.');
    case 'REJECTED':
      return direction === 'OUTBOUND'
        ? neutral('Declined', 'The customer declined the call.')
        : neutral('Declined', 'The call was declined.');
    case 'BUSY':
      return neutral('Busy', 'The customer is on another call.');
    case 'CANCELLED':
      return by === 'CUSTOMER'
        ? neutral('Caller hung up', 'The customer hung up before the call was answered.')
        : neutral('Cancelled', 'The call was cancelled before it was answered.');
    case 'TIMEOUT':
      return neutral('Timed out', 'The caller waited too long.');
    case 'CREDIT_EXHAUSTED':
      return bad('Out of credit', 'The account balance ran out during the call.');
    case 'PROVIDER_TRIGGER_FAILED':
      return bad(
        'Call could not be placed',
        failure ?? 'The carrier did not take the call. The customer was not reached.',
      );
    case 'PROVIDER_ERROR':
      return bad('Call failed', failure ?? 'The carrier could not complete the call.');
    case 'NETWORK_ERROR':
      return bad('Connection lost', 'No audio came through for too long.');
    case 'AGENT_DISCONNECTED':
      return bad('Connection lost', 'This device was offline for too long.');
    case 'SYSTEM_ERROR':
      return bad('Something went wrong', failure ?? 'The call ended because of a fault in the service.');
    default:
      return neutral('Call ended');
  }
}
