/** What a caller hears while waiting or on hold. Before our 200 the carrier plays its own ringback. */
import type { Source } from '@clarion/protocol/media';
import type { Effect } from './effects.ts';
import type { InboundState } from './state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import { routed } from './shared.ts';

/** The queue's hold audio in a loop, or the hold tone. Sending it again does not restart it. */
export const holdSources = (stop: Pick<OverflowHop, 'queueId' | 'holdAudio'> | null | undefined): Source[] =>
  stop?.holdAudio
    ? [{ kind: 'audio', clips: [{ file: stop.holdAudio }], loop: true, playId: `hold-${stop.queueId}` }]
    : [{ kind: 'tone', tone: 'hold' }];

/** Routes these sources to the caller. Does nothing if the call was not answered. */
export function heardByCaller<S extends InboundState>(
  state: S,
  sources: Source[],
): { state: S; effects: Effect[] } {
  if (!state.answered) return { state, effects: [] };
  const { state: next, effect } = routed(state, { [state.carrierLegId]: sources });
  return { state: next, effects: [effect] };
}
