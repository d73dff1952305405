/** ivr_menu: one key, also during the prompt. A key without an edge counts as invalid. */
import type { IvrDataOf } from '@clarion/protocol/ivr/structure';
import { NEXT } from '@clarion/protocol/ivr/node';
import { quiet } from '../behaviour.ts';
import type { Behaviour, Move, NodeState } from '../behaviour.ts';

type Data = IvrDataOf<'ivr_menu'>;

export const menu: Behaviour<Data> = {
  ...quiet,
  enter: ({ data }) => ({ kind: 'play', audioFileId: data.audioFileId }),
  // `next` is an exit, but not a key.
  onKey: (at, key) => (at.has(key) ? { kind: 'leave', exit: key } : noInput(at)),
  onPromptEnded: ({ data }) => ({ kind: 'listen', seconds: data.timeoutSeconds }),
  onTimeOver: (at) => noInput(at),
};

function noInput({ data, replays, has }: NodeState<Data>): Move {
  const next: Move = { kind: 'leave', exit: NEXT };
  const giveUp: Move = { kind: 'hang-up', because: 'NO_INPUT' };
  switch (data.noInputAction) {
    case 'hangup':
      return giveUp;
    case 'next':
      return next;
    case 'replay':
      if (replays < data.maxReplays) return { kind: 'play', audioFileId: data.audioFileId, again: true };
      return has(NEXT) ? next : giveUp;
  }
}
