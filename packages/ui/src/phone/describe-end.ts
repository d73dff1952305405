import type { PhoneCall, PhoneOutcome } from './model.ts';

export interface EndMessage {
  title: string;
  /** Null if the title is enough. */
  detail: string | null;
  tone: 'neutral' | 'bad';
}

/** The outcome of a call, for the agent. Unknown reasons are shown as a normal end. */
export function describeEnd(
  { reason, by, failure }: PhoneOutcome,
  { direction, channel }: Pick<PhoneCall, 'direction' | 'channel'>,
): EndMessage {
  const neutral = (title: string, detail: string | null = null): EndMessage => ({
    title,
    detail,
    tone: 'neutral',
  });
  const bad = (title: string, detail: string | null): EndMessage => ({ title, detail, tone: 'bad' });
  const provider = channel === 'WHATSAPP' ? 'WhatsApp' : 'The carrier';
  switch (reason) {
    case 'COMPLETED':
      if (by === 'AGENT') return neutral('Call ended', 'You hung up.');
      if (by === 'CUSTOMER') return neutral('Call ended', 'The customer hung up.');
      if (by === 'CONSUMER') return neutral('Call ended', 'The call was ended by your organisation.');
      return neutral('Call ended');
    case 'NO_ANSWER':
      return direction === 'OUTBOUND'
        ? neutral('No answer', 'The customer did not answer.')
        : neutral('Missed call', 'The call was not answered in time.');
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
      return neutral('Timed out', 'The caller reached the maximum wait time.');
    case 'CREDIT_EXHAUSTED':
      return bad('Out of credit', 'The account ran out of credit during the call.');
    case 'PROVIDER_TRIGGER_FAILED':
      return bad(
        'Call could not be placed',
        failure ?? `${provider} did not accept the call, and the customer was not reached.`,
      );
    case 'PROVIDER_ERROR':
      return bad('Call failed', failure ?? `${provider} could not complete the call.`);
    case 'NETWORK_ERROR':
      return bad('Connection lost', 'No audio was received for too long.');
    case 'AGENT_DISCONNECTED':
      return bad('Connection lost', 'This device was disconnected for too long.');
    case 'SYSTEM_ERROR':
      return bad('Something went wrong', failure ?? 'The call ended because of an error in the service.');
    default:
      return neutral('Call ended');
  }
}
