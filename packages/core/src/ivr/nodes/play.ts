/** ivr_play: plays an audio asset to its end; keys do not stop it. */
import type { IvrDataOf } from '@clarion/protocol/ivr/structure';
import { NEXT } from '@clarion/protocol/ivr/node';
import { quiet } from '../behaviour.ts';
import type { Behaviour } from '../behaviour.ts';

/** An asset that is not available is replaced by a pause, so that a flow that loops through it does not spin. */
const MISSING_AUDIO_SECONDS = 1;

export const play: Behaviour<IvrDataOf<'ivr_play'>> = {
  ...quiet,
  enter: ({ data }) => ({ kind: 'play', audioFileId: data.audioFileId }),
  onPromptEnded: (_, played) =>
    played ? { kind: 'leave', exit: NEXT } : { kind: 'listen', seconds: MISSING_AUDIO_SECONDS },
  onTimeOver: () => ({ kind: 'leave', exit: NEXT }),
};
