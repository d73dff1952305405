import { ClarionError } from '../agent/errors.ts';
import type { AudioPlayer } from '../agent/platform.ts';

const PREFERENCE_KEY = 'clarion:speaker';
const CHIME_SECONDS = 0.9;
const CHIME_HZ = [587, 880] as const;
const CHIME_GAIN = 0.25;

/** Plays the customer's audio. Browsers allow it once the user has clicked on the page or while the page captures audio. */
export class Speaker implements AudioPlayer {
  #element: HTMLAudioElement | null = null;
  #chosen: string | null;

  constructor() {
    try {
      this.#chosen = localStorage.getItem(PREFERENCE_KEY);
    } catch {
      this.#chosen = null;
    }
  }

  get chosen(): string | null {
    return this.#chosen;
  }

  /** @returns false if the browser blocks audio until the user clicks */
  async play(stream: MediaStream): Promise<boolean> {
    const element = (this.#element ??= new Audio());
    element.autoplay = true;
    element.srcObject = stream;
    if (this.#chosen !== null) await element.setSinkId?.(this.#chosen).catch(() => undefined);
    try {
      await element.play();
      return true;
    } catch (error) {
      // AbortError means that another stream replaced this one; audio is not blocked.
      return !(error instanceof DOMException && error.name === 'NotAllowedError');
    }
  }

  /** Must be called in a click handler if audio was blocked. */
  async unlock(): Promise<void> {
    if (this.#element?.srcObject) await this.#element.play();
  }

  /** Plays a short tone on the selected speaker. */
  async test(): Promise<void> {
    const context = new AudioContext();
    const output = context.createMediaStreamDestination();
    const gain = context.createGain();
    gain.connect(output);
    const { currentTime: now } = context;
    gain.gain.setValueAtTime(0, now);
    gain.gain.linearRampToValueAtTime(CHIME_GAIN, now + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.001, now + CHIME_SECONDS);
    const tone = context.createOscillator();
    tone.frequency.setValueAtTime(CHIME_HZ[0], now);
    tone.frequency.setValueAtTime(CHIME_HZ[1], now + CHIME_SECONDS / 3);
    tone.connect(gain);
    const element = new Audio();
    element.srcObject = output.stream;
    if (this.#chosen !== null) await element.setSinkId?.(this.#chosen).catch(() => undefined);
    await element.play();
    tone.start();
    tone.stop(now + CHIME_SECONDS);
    await new Promise((resolve) => tone.addEventListener('ended', resolve));
    element.srcObject = null;
    await context.close();
  }

  stop(): void {
    if (this.#element) this.#element.srcObject = null;
  }

  /** Null selects the system's default. */
  async choose(deviceId: string | null): Promise<void> {
    const element = (this.#element ??= new Audio());
    if (!('setSinkId' in element))
      throw new ClarionError('wrong_state', 'This browser supports only the default speaker.');
    await element.setSinkId(deviceId ?? '');
    this.#chosen = deviceId;
    try {
      if (deviceId === null) localStorage.removeItem(PREFERENCE_KEY);
      else localStorage.setItem(PREFERENCE_KEY, deviceId);
    } catch {
      // Without storage, the selection lasts until the page is closed.
    }
  }
}
