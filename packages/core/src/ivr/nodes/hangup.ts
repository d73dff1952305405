/** ivr_hangup: ends the call. */
import type { IvrDataOf } from '@clarion/protocol/ivr/structure';
import { quiet } from '../behaviour.ts';
import type { Behaviour } from '../behaviour.ts';

export const hangup: Behaviour<IvrDataOf<'ivr_hangup'>> = {
  ...quiet,
  enter: () => ({ kind: 'hang-up', because: 'HANGUP' }),
};
