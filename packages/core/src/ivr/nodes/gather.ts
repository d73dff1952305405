/** ivr_gather: reads several keys until there are enough, the finish key is pressed, or the time is over. */
import type { IvrDataOf } from '@clarion/protocol/ivr/structure';
import { NEXT } from '@clarion/protocol/ivr/node';
import { TIMEOUT } from '@clarion/protocol/ivr/nodes/gather';
import { quiet } from '../behaviour.ts';
import type { Behaviour, Move, NodeState } from '../behaviour.ts';

type Data = IvrDataOf<'ivr_gather'>;

export const gather: Behaviour<Data> = {
  ...quiet,
  enter: ({ data }) => ({ kind: 'play', audioFileId: data.audioFileId }),
  onKey: (at, key) => {
    if (key === at.data.finishOnKey) return done(at);
    const digits = at.digits + key;
    return digits.length >= at.data.maxDigits
      ? { kind: 'leave', exit: NEXT }
      : { kind: 'listen', seconds: at.data.timeoutSeconds, digits };
  },
  onPromptEnded: ({ data }) => ({ kind: 'listen', seconds: data.timeoutSeconds }),
  onTimeOver: (at) => done(at),
};

function done({ digits, has }: NodeState<Data>): Move {
  return { kind: 'leave', exit: digits === '' && has(TIMEOUT) ? TIMEOUT : NEXT };
}
