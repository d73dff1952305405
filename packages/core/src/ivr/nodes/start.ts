/** ivr_start: continues with the next node. */
import type { IvrDataOf } from '@clarion/protocol/ivr/structure';
import { NEXT } from '@clarion/protocol/ivr/node';
import { quiet } from '../behaviour.ts';
import type { Behaviour } from '../behaviour.ts';

export const start: Behaviour<IvrDataOf<'ivr_start'>> = {
  ...quiet,
  enter: () => ({ kind: 'leave', exit: NEXT }),
};
