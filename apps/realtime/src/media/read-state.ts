import { parseState } from '@clarion/core/call-engine/stored';
import type { CallState } from '@clarion/core/call-machine/state';

/** Null if it cannot be read, so that one such call does not affect the others of its media node. */
export function readState(json: unknown): CallState | null {
  try {
    return parseState(json);
  } catch {
    return null;
  }
}
