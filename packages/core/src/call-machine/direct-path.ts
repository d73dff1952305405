/**
 * Allowing whisper or barge moves every call off the direct path (docs/requirements.md#media), including active ones: when the
 * tenant allows it or, at the latest, when a supervisor starts to speak. Media forwards or mixes by the route alone, so nothing
 * changes there until then.
 */
import type { MonitoringMode } from '@clarion/protocol';
import type { LiveState } from './state.ts';
import type { Step } from './shared.ts';

/** Whether one of these modes is audible in the call. */
export const speaks = (modes: readonly MonitoringMode[]): boolean => modes.some((mode) => mode !== 'LISTEN');

/** @param modes the modes that are allowed now, or that a supervisor starts with */
export function offDirectPath<S extends LiveState>(state: S, modes: readonly MonitoringMode[]): Step<S> {
  if (state.mediaPath !== 'DIRECT' || !speaks(modes)) return { state, effects: [] };
  return {
    state: { ...state, mediaPath: 'ROOM' },
    effects: [{ kind: 'patch', patch: { mediaPath: 'ROOM' } }],
  };
}
