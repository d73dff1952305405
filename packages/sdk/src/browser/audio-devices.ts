import { Emitter } from '../agent/emitter.ts';
import type { AudioDevice, AudioSelection } from '../agent/platform.ts';
import type { Microphone } from './microphone.ts';
import type { Speaker } from './speaker.ts';

/** How often the microphone level is reported. */
const LEVEL_INTERVAL_MS = 60;

interface AudioDevicesEvents extends Record<string, unknown[]> {
  /** A device was connected, disconnected or selected. */
  changed: [];
}

/** The microphones and speakers of this browser, and which of them calls use. The selection is stored. */
export class AudioDevices extends Emitter<AudioDevicesEvents> implements AudioSelection {
  readonly #microphone: Microphone;
  readonly #speaker: Speaker;
  /** The speakers for audio other than the call's. */
  readonly #others: readonly Speaker[];

  constructor(microphone: Microphone, speaker: Speaker, others: readonly Speaker[] = []) {
    super();
    this.#microphone = microphone;
    this.#speaker = speaker;
    this.#others = others;
    navigator.mediaDevices?.addEventListener('devicechange', this.#onChange);
    microphone.on('device', this.#onChange);
  }

  /** The selected microphone; null: the browser's default. */
  get microphoneId(): string | null {
    return this.#microphone.chosen;
  }

  /** The selected speaker; null: the system's default. */
  get speakerId(): string | null {
    return this.#speaker.chosen;
  }

  async list(): Promise<{ microphones: AudioDevice[]; speakers: AudioDevice[] }> {
    const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
    const of = (wanted: MediaDeviceKind) =>
      devices
        // Chrome lists the default device twice, once under its own name.
        .filter(({ kind, deviceId }) => kind === wanted && deviceId !== '' && deviceId !== 'default')
        .map(({ deviceId: id, label }) => ({ id, label }));
    return { microphones: of('audioinput'), speakers: of('audiooutput') };
  }

  /** Null selects the default. Takes effect immediately, even during a call. */
  async setMicrophone(id: string | null): Promise<void> {
    await this.#microphone.choose(id);
    this.emit('changed');
  }

  /** Null selects the default. */
  async setSpeaker(id: string | null): Promise<void> {
    for (const speaker of [this.#speaker, ...this.#others]) await speaker.choose(id);
    this.emit('changed');
  }

  /** Whether calls may use the microphone, as far as the browser reveals it. */
  async permission(): Promise<PermissionState | 'unknown'> {
    try {
      const { state } = await navigator.permissions.query({ name: 'microphone' as PermissionName });
      return state;
    } catch {
      return 'unknown';
    }
  }

  /** Requests the microphone permission before the first call, so that answering does not have to wait for it. */
  async askPermission(): Promise<void> {
    const stop = await this.watchLevel(() => undefined);
    stop();
    this.emit('changed');
  }

  /** Unblocks audio after the warning `audio-blocked`. Call it in a click handler. */
  async unlock(): Promise<void> {
    await Promise.all([this.#speaker, ...this.#others].map((speaker) => speaker.unlock()));
  }

  /** Plays a short tone on the selected speaker. */
  testSpeaker(): Promise<void> {
    return this.#speaker.test();
  }

  /**
   * Reports the level of the selected microphone, 0 to 1, until the returned function is called.
   * @throws ClarionError microphone_blocked, microphone_unavailable
   */
  async watchLevel(listener: (level: number) => void): Promise<() => void> {
    const track = await this.#microphone.listen();
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      listener(levelOf(power));
    }, LEVEL_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      track.stop();
      void context.close();
    };
  }

  /** @internal */
  close(): void {
    navigator.mediaDevices?.removeEventListener('devicechange', this.#onChange);
  }

  readonly #onChange = (): void => this.emit('changed');
}

/** The range of the level meter, from quiet to loud speech. */
const FLOOR_DB = -55;
const CEILING_DB = -10;

/** Maps the mean power of samples in [-1, 1] to a logarithmic scale from 0 to 1. */
export function levelOf(power: number): number {
  if (power <= 0) return 0;
  const db = 10 * Math.log10(power);
  return Math.min(Math.max((db - FLOOR_DB) / (CEILING_DB - FLOOR_DB), 0), 1);
}
