/** What a caller hears who waits for a person or is on hold. Before our 200 the carrier plays its own ringing. */
import type { Source } from '@clarion/protocol/media';
import type { Effect } from './effects.ts';
import type { InboundState } from './state.ts';
import type { QueueStop } from '../queue-routing/queue-stop.ts';
import { routed } from './shared.ts';

/** The queue's sound, over and over, else the hold tone; said again it goes on where it is. */
export const holdSources = (stop: Pick<QueueStop, 'queueId' | 'holdAudio'> | null | undefined): Source[] =>
  stop?.holdAudio
    ? [{ kind: 'audio', clips: [{ file: stop.holdAudio }], loop: true, playId: `hold-${stop.queueId}` }]
    : [{ kind: 'tone', tone: 'hold' }];

/** Routes these sources to the caller; nothing to do for one who was not answered. */
export function heardByCaller<S extends InboundState>(
  state: S,
  sources: Source[],
): { state: S; effects: Effect[] } {
  if (!state.answered) return { state, effects: [] };
  const { state: next, effect } = routed(state, { [state.carrierLegId]: sources });
  return { state: next, effects: [effect] };
}
