/** Labels of call outcomes. The labels of termination reasons are shared with the agent phone (`describeEnd`). */
import { describeEnd, type Tone } from '@clarion/ui';
import type { Answer } from '../request.ts';

export type Call = Answer<'GET', '/v1/calls/{callId}'>['call'];

export interface OutcomeLabel {
  title: string;
  /** A sentence; null if the title is enough. */
  detail: string | null;
  tone: Tone;
  live: boolean;
}

type Outcome = Pick<
  Call,
  | 'status'
  | 'direction'
  | 'channelType'
  | 'terminationReason'
  | 'terminatedBy'
  | 'failureDetails'
  | 'answeredAt'
  | 'queuedAt'
  | 'ringingAt'
>;

const ENDED_BY: Record<NonNullable<Call['terminatedBy']>, string> = {
  AGENT: 'The agent hung up.',
  CUSTOMER: 'The customer hung up.',
  CONSUMER: 'The call was ended through the API or the dashboard.',
  SYSTEM: 'The service ended the call.',
  PROVIDER: 'The carrier ended the call.',
};
const endedBy = (by: NonNullable<Call['terminatedBy']>, channel: Call['channelType']) =>
  by === 'PROVIDER' && channel === 'WHATSAPP' ? 'WhatsApp ended the call.' : ENDED_BY[by];

export function outcomeLabel(call: Outcome): OutcomeLabel {
  const { status, direction, terminationReason: reason, terminatedBy: by, answeredAt } = call;
  if (status !== 'TERMINATED' && status !== 'FAILED') return { ...liveLabel(call), live: true };
  const ended = by === null ? null : endedBy(by, call.channelType);
  if (reason === 'COMPLETED') return { title: 'Answered', detail: ended, tone: 'positive', live: false };
  const words = describeEnd(
    { reason: reason ?? 'SYSTEM_ERROR', by: by ?? 'SYSTEM', failure: call.failureDetails?.message ?? null },
    { direction, channel: call.channelType },
  );
  if (status === 'FAILED' || answeredAt !== null || words.tone === 'bad') {
    return {
      title: words.title,
      detail: call.failureDetails?.message ?? words.detail,
      tone: 'negative',
      live: false,
    };
  }
  const detail = unansweredDetail(call) ?? words.detail;
  return { title: words.title, detail, tone: isLost(call) ? 'neutral' : 'warning', live: false };
}

const isLost = ({ terminationReason: reason, direction }: Outcome) =>
  reason === 'CANCELLED' || direction === 'OUTBOUND';

/** Outcomes of calls that never reached a phone. */
function unansweredDetail(call: Outcome): string | null {
  const { direction, terminationReason: reason, terminatedBy: by, queuedAt, ringingAt } = call;
  if (reason === 'BUSY' && direction === 'INBOUND') return 'The agent was on another call.';
  if (direction === 'OUTBOUND' && reason === 'CANCELLED' && by === 'AGENT')
    return 'The agent hung up before the customer answered.';
  if (reason === 'NO_ANSWER' && by === 'SYSTEM' && queuedAt === null && ringingAt === null)
    return 'The call ended in the IVR flow, or no agent could be rung.';
  if (reason === 'IVR_AGENT_NO_ANSWER') return 'The agent chosen in the IVR flow did not answer.';
  return null;
}

function liveLabel({ status, direction, queuedAt, answeredAt }: Outcome): Omit<OutcomeLabel, 'live'> {
  if (status === 'IN_PROGRESS' || answeredAt !== null)
    return { title: 'Talking', detail: 'The call is in progress.', tone: 'accent' };
  if (direction === 'INBOUND' && queuedAt !== null)
    return { title: 'Waiting', detail: 'The caller is waiting in a queue.', tone: 'warning' };
  if (status === 'RINGING') return { title: 'Ringing', detail: null, tone: 'accent' };
  return { title: 'Starting', detail: null, tone: 'accent' };
}
