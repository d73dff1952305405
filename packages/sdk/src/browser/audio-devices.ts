import { Emitter } from './emitter.ts';
import type { Microphone } from './microphone.ts';
import type { Speaker } from './speaker.ts';

/** How often a watched level is reported. */
const LEVEL_INTERVAL_MS = 60;

export interface AudioDevice {
  id: string;
  /** Empty until the page may use the microphone. */
  label: string;
}

interface AudioDevicesEvents extends Record<string, unknown[]> {
  /** A device appeared or went, or another one was chosen. */
  changed: [];
}

/** The microphones and speakers of this browser, and which of them calls use. Choices are kept. */
export class AudioDevices extends Emitter<AudioDevicesEvents> {
  readonly #microphone: Microphone;
  readonly #speaker: Speaker;
  /** Of what is heard beside a call. */
  readonly #others: readonly Speaker[];

  constructor(microphone: Microphone, speaker: Speaker, others: readonly Speaker[] = []) {
    super();
    this.#microphone = microphone;
    this.#speaker = speaker;
    this.#others = others;
    navigator.mediaDevices?.addEventListener('devicechange', this.#onChange);
    microphone.on('device', this.#onChange);
  }

  /** Null: the browser's default. */
  get microphoneId(): string | null {
    return this.#microphone.chosen;
  }

  /** Null: the system's default. */
  get speakerId(): string | null {
    return this.#speaker.chosen;
  }

  async list(): Promise<{ microphones: AudioDevice[]; speakers: AudioDevice[] }> {
    const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
    const of = (wanted: MediaDeviceKind) =>
      devices
        // Chrome lists the default twice: once by its own name.
        .filter(({ kind, deviceId }) => kind === wanted && deviceId !== '' && deviceId !== 'default')
        .map(({ deviceId: id, label }) => ({ id, label }));
    return { microphones: of('audioinput'), speakers: of('audiooutput') };
  }

  /** Null goes back to the default. In a call it takes effect at once. */
  async setMicrophone(id: string | null): Promise<void> {
    await this.#microphone.choose(id);
    this.emit('changed');
  }

  /** Null goes back to the default. */
  async setSpeaker(id: string | null): Promise<void> {
    for (const speaker of [this.#speaker, ...this.#others]) await speaker.choose(id);
    this.emit('changed');
  }

  /** Whether calls may use the microphone, as far as the browser tells. */
  async permission(): Promise<PermissionState | 'unknown'> {
    try {
      const { state } = await navigator.permissions.query({ name: 'microphone' as PermissionName });
      return state;
    } catch {
      return 'unknown';
    }
  }

  /** Asks the person for the microphone ahead of the first call, so that an incoming one need not wait for it. */
  async askPermission(): Promise<void> {
    const stop = await this.watchLevel(() => undefined);
    stop();
    this.emit('changed');
  }

  /** Inside a click, after the warning `audio-blocked`. */
  async unlock(): Promise<void> {
    await Promise.all([this.#speaker, ...this.#others].map((speaker) => speaker.unlock()));
  }

  /** A short chime on the chosen speaker. */
  testSpeaker(): Promise<void> {
    return this.#speaker.test();
  }

  /**
   * Reports how loud the chosen microphone is, 0 to 1, until the returned function is called.
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

/** From the quietest that is worth a bar to a raised voice. */
const FLOOR_DB = -55;
const CEILING_DB = -10;

/** Mean power of samples in [-1, 1] → 0 to 1, even steps of loudness. */
export function levelOf(power: number): number {
  if (power <= 0) return 0;
  const db = 10 * Math.log10(power);
  return Math.min(Math.max((db - FLOOR_DB) / (CEILING_DB - FLOOR_DB), 0), 1);
}
