/** ivr_transfer: to a queue or an agent; `overflow` if no agent answered. */
import type { IvrDataOf } from '@clarion/protocol/ivr/structure';
import { OVERFLOW } from '@clarion/protocol/ivr/nodes/transfer';
import { quiet } from '../behaviour.ts';
import type { Behaviour } from '../behaviour.ts';

export const transfer: Behaviour<IvrDataOf<'ivr_transfer'>> = {
  ...quiet,
  enter: ({ data: { targetType, targetId, skills = [] } }) => ({
    kind: 'hand-over',
    to: { type: targetType, id: targetId, skills },
  }),
  onOverflow: ({ has }) => (has(OVERFLOW) ? { kind: 'leave', exit: OVERFLOW } : { kind: 'not-taken' }),
};
