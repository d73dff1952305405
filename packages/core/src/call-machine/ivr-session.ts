/** The history of a caller's IVR sessions with their keys. */
import type { IvrOutcome } from '@clarion/protocol';
import type { FlowRun } from '../ivr/flow-run.ts';
import type { Effect } from './effects.ts';
import type { Outcome } from './outcome.ts';

export const sessionBegins = ({ ivrFlowId }: Pick<FlowRun, 'ivrFlowId'>): Effect[] => [
  { kind: 'record', type: 'IVR_STARTED', metadata: { ivrFlowId } },
  { kind: 'ivr', change: 'begin', ivrFlowId },
];

/** Outcomes with which the flow completed. */
const COMPLETED: readonly IvrOutcome[] = ['QUEUE', 'AGENT', 'LINE_QUEUE', 'HANGUP', 'END'];

export const sessionEnds = ({ ivrFlowId }: Pick<FlowRun, 'ivrFlowId'>, outcome: IvrOutcome): Effect[] => [
  { kind: 'ivr', change: 'end', completed: COMPLETED.includes(outcome), outcome },
  { kind: 'record', type: 'IVR_ENDED', metadata: { ivrFlowId, outcome } },
];

/** The IVR outcome when the call ends, unless the flow itself ended it. */
export function ivrOutcomeOf({ terminationReason, terminatedBy }: Outcome): IvrOutcome {
  // TIMEOUT is the maximum duration of a call; a flow has no such outcome of its own.
  if (terminationReason === 'CREDIT_EXHAUSTED' || terminationReason === 'TIMEOUT') return 'TERMINATED';
  if (terminationReason !== 'CANCELLED') return 'FAILED';
  return terminatedBy === 'CUSTOMER' ? 'ABANDONED' : 'TERMINATED';
}
