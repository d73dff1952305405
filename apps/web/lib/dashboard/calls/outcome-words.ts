/** How a call went, for those who read about it. The reasons' names are those of the agent phone (`describeEnd`): one table for both. */
import { describeEnd, type Tone } from '@clarion/ui';
import type { Answer } from '../request.ts';

export type Call = Answer<'GET', '/v1/calls/{callId}'>['call'];

export interface OutcomeWords {
  title: string;
  /** A sentence, or null when the title says it all. */
  detail: string | null;
  tone: Tone;
  live: boolean;
}

type Outcome = Pick<
  Call,
  | 'status'
  | 'direction'
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
  CONSUMER: 'It was ended over the API or from the dashboard.',
  SYSTEM: 'The service ended it.',
  PROVIDER: 'The carrier ended it.',
};

export function outcomeWords(call: Outcome): OutcomeWords {
  const { status, direction, terminationReason: reason, terminatedBy: by, answeredAt } = call;
  if (status !== 'TERMINATED' && status !== 'FAILED') return { ...liveWords(call), live: true };
  const ended = by === null ? null : ENDED_BY[by];
  if (reason === 'COMPLETED') return { title: 'Answered', detail: ended, tone: 'positive', live: false };
  const words = describeEnd(
    { reason: reason ?? 'SYSTEM_ERROR', by: by ?? 'SYSTEM', failure: call.failureDetails?.message ?? null },
    { direction },
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

/** What the phone cannot say of a call that never reached it. */
function unansweredDetail(call: Outcome): string | null {
  const { direction, terminationReason: reason, terminatedBy: by, queuedAt, ringingAt } = call;
  if (reason === 'BUSY' && direction === 'INBOUND') return 'The agent was on another call.';
  if (direction === 'OUTBOUND' && reason === 'CANCELLED' && by === 'AGENT')
    return 'The agent hung up before it was answered.';
  if (reason === 'NO_ANSWER' && by === 'SYSTEM' && queuedAt === null && ringingAt === null)
    return 'It ended in the menu, or nobody could be rung.';
  if (reason === 'IVR_AGENT_NO_ANSWER') return 'The agent whom the menu named did not take it.';
  return null;
}

function liveWords({ status, direction, queuedAt, answeredAt }: Outcome): Omit<OutcomeWords, 'live'> {
  if (status === 'IN_PROGRESS' || answeredAt !== null)
    return { title: 'Talking', detail: 'In progress now.', tone: 'accent' };
  if (direction === 'INBOUND' && queuedAt !== null)
    return { title: 'Waiting', detail: 'In a queue now.', tone: 'warning' };
  if (status === 'RINGING') return { title: 'Ringing', detail: null, tone: 'accent' };
  return { title: 'Starting', detail: null, tone: 'accent' };
}
