/**
 * Which tab of this browser has a call's audio: the one that holds the call's Web Lock. A tab that goes lets go of it
 * without having to say so.
 */

/** sessionStorage key of the call whose audio this tab had when it was left: see `takeMarker`. */
const MARKER_KEY = 'clarion:live-call';

export interface Claim {
  release(): void;
}

/**
 * @param how steal: take it from the tab that has it. wait: take it when nobody has it any more.
 * @param onStolen another tab took the call's audio over
 */
export async function claimCall(
  name: string,
  how: 'steal' | 'wait',
  signal: AbortSignal,
  onStolen: () => void,
): Promise<Claim> {
  if (!('locks' in navigator)) return { release: () => undefined };
  return new Promise((resolve, reject) => {
    let release: () => void = () => undefined;
    let granted = false;
    const held = new Promise<void>((done) => (release = done));
    // A request that steals takes no signal (Web Locks, 3.2).
    const options: LockOptions = how === 'steal' ? { steal: true } : { signal };
    navigator.locks
      .request(name, options, () => {
        granted = true;
        resolve({ release });
        return held;
      })
      .catch((error: unknown) => {
        if (granted) onStolen();
        else reject(error instanceof Error ? error : new Error(String(error)));
      });
  });
}

/**
 * The marker is written when the page is left and taken when it comes back, never while it is open: a duplicated tab
 * copies sessionStorage and must not take the call away from the tab that has it.
 */
export function leaveMarker(callId: number): void {
  try {
    sessionStorage.setItem(MARKER_KEY, String(callId));
  } catch {
    // Storage may be switched off: then the call is picked up as an orphan, a little later.
  }
}

export function takeMarker(): number | null {
  try {
    const marked = sessionStorage.getItem(MARKER_KEY);
    sessionStorage.removeItem(MARKER_KEY);
    return marked === null ? null : Number(marked);
  } catch {
    return null;
  }
}
