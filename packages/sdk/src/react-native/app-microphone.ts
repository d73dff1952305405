import { Emitter } from '../agent/emitter.ts';
import { ClarionError } from '../agent/errors.ts';
import type { CallMicrophone, MicrophoneEvents } from '../agent/platform.ts';
import type { WebRtc } from './webrtc.ts';

const AUDIO = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };

/** react-native-webrtc frees the native source only with `release`. */
type NativeStream = MediaStream & { release?(): void };

/** The phone's microphone: opened and closed with the call. Which microphone that is, the system decides. */
export class AppMicrophone extends Emitter<MicrophoneEvents> implements CallMicrophone {
  readonly #webrtc: WebRtc;
  #opened: { stream: NativeStream; track: MediaStreamTrack } | null = null;
  #opening: Promise<MediaStreamTrack> | null = null;
  #enabled = true;
  #allowed = false;

  constructor(webrtc: WebRtc) {
    super();
    this.#webrtc = webrtc;
  }

  get ready(): boolean {
    return this.#opened !== null || this.#allowed;
  }

  /**
   * @param orSilence send nothing if there is no microphone, rather than lose a live call
   * @throws ClarionError microphone_blocked, microphone_unavailable
   */
  async open(orSilence: boolean): Promise<MediaStreamTrack | null> {
    if (this.#opened) return this.#opened.track;
    const opening = (this.#opening ??= this.#capture());
    try {
      return await opening;
    } catch (error) {
      if (!orSilence || (error instanceof ClarionError && error.code === 'wrong_state')) throw error;
      this.emit('device', 'missing');
      return null;
    }
  }

  /** Only the permission is checked: the system gives the app the audio when the user has answered. */
  async prepare(): Promise<void> {
    const { permissions } = this.#webrtc;
    if (!permissions) return;
    const state = await permissions.query({ name: 'microphone' }).catch(() => null);
    this.#allowed = state === 'granted';
  }

  closeUnused(): void {
    // Nothing was opened.
  }

  close(): void {
    const opened = this.#opened;
    this.#opened = null;
    this.#opening = null;
    opened?.track.stop();
    opened?.stream.release?.();
  }

  setEnabled(enabled: boolean): void {
    this.#enabled = enabled;
    if (this.#opened) this.#opened.track.enabled = enabled;
  }

  #capture(): Promise<MediaStreamTrack> {
    const opening: Promise<MediaStreamTrack> = capture(this.#webrtc)
      .then((opened) => {
        if (this.#opening !== opening) {
          opened.track.stop();
          opened.stream.release?.();
          throw new ClarionError('wrong_state', 'The call has ended.');
        }
        opened.track.enabled = this.#enabled;
        this.#opened = opened;
        this.#allowed = true;
        return opened.track;
      })
      .finally(() => {
        if (this.#opening === opening) this.#opening = null;
      });
    return opening;
  }
}

async function capture({ mediaDevices }: WebRtc): Promise<{ stream: NativeStream; track: MediaStreamTrack }> {
  let stream: NativeStream;
  try {
    stream = (await mediaDevices.getUserMedia({ audio: AUDIO })) as NativeStream;
  } catch (cause) {
    if (REFUSED.has(nameOf(cause)))
      throw new ClarionError('microphone_blocked', 'The app may not use the microphone.', { cause });
    throw new ClarionError('microphone_unavailable', 'The microphone could not be opened.', { cause });
  }
  const [track] = stream.getAudioTracks();
  if (!track) throw new ClarionError('microphone_unavailable', 'No microphone was found.');
  return { stream, track };
}

const REFUSED: ReadonlySet<unknown> = new Set(['NotAllowedError', 'SecurityError']);
const nameOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'name' in error ? error.name : null;
