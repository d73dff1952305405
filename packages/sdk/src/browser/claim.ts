/**
 * The tab that has a call's audio holds the call's Web Lock. The browser releases the lock when the tab is closed or crashes.
 */
import type { AudioClaims, Claim } from '../agent/platform.ts';

/** sessionStorage key of the call whose audio this tab had when the page was left: see `takeMarker`. */
const MARKER_KEY = 'clarion:live-call';

export class TabClaims implements AudioClaims {
  readonly #scope: string | null;
  readonly #deviceId: string;
  /** The call that this tab had before it was reloaded. */
  #marked = takeMarker();

  constructor(scope: string | null, deviceId: string) {
    this.#scope = scope;
    this.#deviceId = deviceId;
  }

  claim(callId: number, how: 'steal' | 'wait', signal: AbortSignal, onStolen: () => void): Promise<Claim> {
    return claimLock(`clarion:call:${this.#scope ?? this.#deviceId}:${callId}`, how, signal, onStolen);
  }

  resumption(callId: number, leading: boolean): 'now' | 'when-free' | 'no' {
    if (this.#marked === callId) {
      this.#marked = null;
      return 'now';
    }
    return leading && this.#scope !== null && 'locks' in navigator ? 'when-free' : 'no';
  }

  leave(callId: number): void {
    leaveMarker(callId);
  }

  /** A call that was not resumed is left to the next page of this tab. */
  close(): void {
    if (this.#marked !== null) leaveMarker(this.#marked);
  }
}

async function claimLock(
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
    // A request with `steal` does not accept a signal (Web Locks, 3.2).
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
 * The marker is written when the page is left and removed when it is loaded again, and does not exist while the page is open: a
 * duplicated tab copies sessionStorage and must not take the call from the original tab.
 */
function leaveMarker(callId: number): void {
  try {
    sessionStorage.setItem(MARKER_KEY, String(callId));
  } catch {
    // Storage may be disabled. The call is then resumed as an orphan, slightly later.
  }
}

function takeMarker(): number | null {
  try {
    const marked = sessionStorage.getItem(MARKER_KEY);
    sessionStorage.removeItem(MARKER_KEY);
    return marked === null ? null : Number(marked);
  } catch {
    return null;
  }
}
