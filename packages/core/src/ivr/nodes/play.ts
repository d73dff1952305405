/** ivr_play: a sound to its end; keys do not cut it short. */
import type { IvrDataOf } from '@clarion/protocol/ivr/structure';
import { NEXT } from '@clarion/protocol/ivr/node';
import { quiet } from '../behaviour.ts';
import type { Behaviour } from '../behaviour.ts';

/** A sound that cannot be had is a pause: flows that go round through it must not spin. */
const MISSING_SOUND_SECONDS = 1;

export const play: Behaviour<IvrDataOf<'ivr_play'>> = {
  ...quiet,
  enter: ({ data }) => ({ kind: 'play', audioFileId: data.audioFileId }),
  onPromptEnded: (_, played) =>
    played ? { kind: 'leave', exit: NEXT } : { kind: 'listen', seconds: MISSING_SOUND_SECONDS },
  onTimeOver: () => ({ kind: 'leave', exit: NEXT }),
};
