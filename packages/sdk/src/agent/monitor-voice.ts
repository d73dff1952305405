import { Emitter } from './emitter.ts';
import type { CallMicrophone, MediaPlatform, Silence } from './platform.ts';

interface MonitorVoiceEvents extends Record<string, unknown[]> {
  track: [track: MediaStreamTrack | null];
}

/**
 * The audio that a supervisor sends: silence while listening, so that the browser neither requests the microphone nor shows it as in
 * use, and the microphone while whispering or barging in. A change of mode only replaces the track.
 */
export class MonitorVoice extends Emitter<MonitorVoiceEvents> {
  /** A separate one, because a supervisor may also have a call. */
  readonly #microphone: CallMicrophone;
  readonly #newSilence: () => Silence;
  #silence: Silence | null = null;
  #speaks: boolean;
  #closed = false;

  constructor(speaks: boolean, media: Pick<MediaPlatform, 'newMicrophone' | 'newSilence'>) {
    super();
    this.#microphone = media.newMicrophone();
    this.#newSilence = media.newSilence;
    this.#speaks = speaks;
    this.#microphone.on('track', (track) => {
      if (this.#speaks) this.emit('track', track);
    });
  }

  /** Silence needs no device. The microphone is opened before anyone can hear the supervisor. */
  get ready(): boolean {
    return !this.#speaks;
  }

  /** Opens the source for the current mode. */
  async open(orSilence: boolean): Promise<MediaStreamTrack | null> {
    return this.#speaks ? this.#microphone.open(orSilence) : this.#openSilence();
  }

  /** @throws ClarionError microphone_blocked, microphone_unavailable; nothing has changed then */
  async speak(on: boolean): Promise<void> {
    if (on === this.#speaks || this.#closed) return;
    if (on) {
      const track = await this.#microphone.open(false);
      this.#speaks = true;
      this.emit('track', track);
      return;
    }
    this.#speaks = false;
    this.emit('track', this.#openSilence());
    this.#microphone.close();
  }

  mute(on: boolean): void {
    this.#microphone.setEnabled(!on);
  }

  /** Closes it permanently. */
  close(): void {
    this.#closed = true;
    this.#microphone.close();
    this.#silence?.close();
    this.#silence = null;
  }

  #openSilence(): MediaStreamTrack | null {
    return (this.#silence ??= this.#newSilence()).track;
  }
}
