/**
 * Whisper and barge need mixing. Allowing one of them moves every call off the direct path (docs/requirements.md#media), including active
 * calls: when the tenant allows it or, at the latest, when a supervisor starts to speak. Media forwards or mixes according to the route
 * only, so it is not affected until then.
 */
import type { MonitoringMode } from '@clarion/protocol';
import type { LiveState } from './state.ts';
import type { Step } from './shared.ts';

/** Whether the supervisor can be heard in one of these modes. */
export const speaks = (modes: readonly MonitoringMode[]): boolean => modes.some((mode) => mode !== 'LISTEN');

/** @param modes the modes that are allowed now, or with which a supervisor starts */
export function offDirectPath<S extends LiveState>(state: S, modes: readonly MonitoringMode[]): Step<S> {
  if (state.mediaPath !== 'DIRECT' || !speaks(modes)) return { state, effects: [] };
  return {
    state: { ...state, mediaPath: 'ROOM' },
    effects: [{ kind: 'patch', patch: { mediaPath: 'ROOM' } }],
  };
}
