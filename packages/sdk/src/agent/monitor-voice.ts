import { Emitter } from './emitter.ts';
import { ClarionError } from './errors.ts';
import { Microphone } from '../browser/microphone.ts';

interface MonitorVoiceEvents extends Record<string, unknown[]> {
  track: [track: MediaStreamTrack];
}

/**
 * The audio that a supervisor sends: silence while listening, so that the browser neither requests the microphone nor shows it as in
 * use, and the microphone while whispering or barging in. A change of mode only replaces the track.
 */
export class MonitorVoice extends Emitter<MonitorVoiceEvents> {
  readonly #microphone = new Microphone();
  #silence: { track: MediaStreamTrack; context: AudioContext } | null = null;
  #speaks: boolean;
  #closed = false;

  constructor(speaks: boolean) {
    super();
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
  async open(orSilence: boolean): Promise<MediaStreamTrack> {
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
    this.#silence?.track.stop();
    void this.#silence?.context.close();
    this.#silence = null;
  }

  #openSilence(): MediaStreamTrack {
    if (this.#silence) return this.#silence.track;
    const context = new AudioContext();
    const [track] = context.createMediaStreamDestination().stream.getAudioTracks();
    if (!track) throw new ClarionError('media_failed', 'The browser could not create a silent track.');
    this.#silence = { track, context };
    return track;
  }
}
