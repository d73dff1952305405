import { Emitter } from '../agent/emitter.ts';
import { ClarionError } from '../agent/errors.ts';
import type { CallMicrophone, MicrophoneEvents } from '../agent/platform.ts';
import { silentTrack } from './silent-track.ts';

const PREFERENCE_KEY = 'clarion:microphone';
/** Headsets appear in several steps, so wait until the list is stable. */
const DEVICE_SETTLE_MS = 300;

/**
 * The microphone of a call: opened and closed with it. If the selected microphone is unplugged, the default is used until it is
 * plugged in again; without any microphone, the track is silent.
 */
export class Microphone extends Emitter<MicrophoneEvents> implements CallMicrophone {
  #track: MediaStreamTrack | null = null;
  #silence: ReturnType<typeof silentTrack> | null = null;
  #open = false;
  /** A call uses the microphone. */
  #used = false;
  /** A call is ringing and may be answered. */
  #expected = false;
  /** While a call rings: there is a permission, and no known fault. */
  #allowed = false;
  #opening: Promise<MediaStreamTrack> | null = null;
  #enabled = true;
  #chosen: string | null = readPreference();
  #fallenBack = false;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #replacing: Promise<void> = Promise.resolve();

  get chosen(): string | null {
    return this.#chosen;
  }

  get track(): MediaStreamTrack | null {
    return this.#track;
  }

  /**
   * @param orSilence use silence if there is no microphone, rather than lose a live call
   * @throws ClarionError microphone_blocked, microphone_unavailable
   */
  async open(orSilence: boolean): Promise<MediaStreamTrack> {
    this.#used = true;
    try {
      return await this.#openDevice();
    } catch (error) {
      if (isClosedMeanwhile(error)) throw error;
      if (!orSilence) {
        this.close();
        throw error;
      }
      this.#open = true;
      this.emit('device', 'missing');
      navigator.mediaDevices?.addEventListener('devicechange', this.#onDeviceChange);
      return this.#useSilence();
    }
  }

  /** Whether it is open, or can be expected to open without a prompt. Known only while a call rings. */
  get ready(): boolean {
    return this.#track !== null || this.#allowed;
  }

  /**
   * Prepares the microphone while a call rings, so that answering waits neither for a prompt nor for the device. Only if the
   * permission is already granted, so that no prompt appears before answering. If it fails, answering tries again and reports why.
   *
   * @param open open the device, and not only check the permission
   */
  async prepare(open: boolean): Promise<void> {
    if (this.#expected) return;
    this.#expected = true;
    const allowed = await isAllowed();
    const present = allowed && (open || (await microphoneIds()).length > 0);
    if (!present || !this.#expected || this.#used) return;
    this.#allowed = true;
    if (!open) return;
    await this.#openDevice().catch(() => {
      this.#allowed = false;
      if (!this.#used) this.close();
    });
  }

  /** No call is ringing any more. */
  closeUnused(): void {
    this.#expected = false;
    this.#allowed = false;
    if (!this.#used) this.close();
  }

  /** The recording indicator of the browser tab disappears only when every track is stopped. */
  close(): void {
    this.#open = false;
    this.#used = false;
    this.#expected = false;
    this.#allowed = false;
    this.#opening = null;
    this.#fallenBack = false;
    clearTimeout(this.#settling);
    navigator.mediaDevices?.removeEventListener('devicechange', this.#onDeviceChange);
    this.#drop();
  }

  /** Applies to every later track as well. */
  setEnabled(enabled: boolean): void {
    this.#enabled = enabled;
    if (this.#track) this.#track.enabled = enabled;
  }

  /** Null selects the browser's default. Takes effect immediately, even during a call. */
  async choose(deviceId: string | null): Promise<void> {
    const before = this.#chosen;
    this.#chosen = deviceId;
    this.#fallenBack = false;
    if (this.#open) {
      try {
        const track = await capture(deviceId);
        if (this.#open) {
          this.#drop();
          this.#use(track);
        } else {
          track.stop();
        }
      } catch (error) {
        this.#chosen = before;
        throw error;
      }
    }
    writePreference(deviceId);
  }

  /** Opens a separate track of the selected microphone, for a level meter. The caller stops it. */
  listen(): Promise<MediaStreamTrack> {
    return capture(this.#chosen);
  }

  /** One capture at a time: a call answered while the device opens waits for the same track. */
  #openDevice(): Promise<MediaStreamTrack> {
    if (this.#track) return Promise.resolve(this.#track);
    if (this.#opening) return this.#opening;
    this.#open = true;
    const opening = capture(this.#chosen)
      .then(
        (track) => {
          if (this.#opening === opening && !this.#track) {
            navigator.mediaDevices.addEventListener('devicechange', this.#onDeviceChange);
            return this.#use(track);
          }
          track.stop();
          // Another microphone was selected meanwhile.
          if (this.#opening === opening && this.#track) return this.#track;
          throw closedMeanwhile();
        },
        (error: unknown) => {
          throw this.#opening === opening ? error : closedMeanwhile();
        },
      )
      .finally(() => {
        if (this.#opening === opening) this.#opening = null;
      });
    this.#opening = opening;
    return opening;
  }

  readonly #onDeviceChange = (): void => {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#replace(), DEVICE_SETTLE_MS);
  };

  #replace(): void {
    this.#replacing = this.#replacing.then(() => this.#replaceNow()).catch(() => undefined);
  }

  async #replaceNow(): Promise<void> {
    if (!this.#open) return;
    const present = await microphoneIds();
    const chosenIsBack = this.#fallenBack && this.#chosen !== null && present.includes(this.#chosen);
    const ended = this.#track?.readyState === 'ended';
    const silent = this.#silence !== null && present.length > 0;
    if (!chosenIsBack && !ended && !silent) return;
    try {
      const wanted = this.#chosen !== null && present.includes(this.#chosen) ? this.#chosen : null;
      const track = await capture(wanted);
      if (!this.#open) return track.stop();
      const fellBack = wanted !== this.#chosen || (this.#chosen === null && ended);
      this.#drop();
      this.#use(track);
      this.#fallenBack = wanted !== this.#chosen;
      this.emit('device', fellBack ? 'fell-back' : 'returned');
    } catch {
      if (!this.#open || this.#silence) return;
      if (!this.#used) return this.close();
      this.#fallenBack = true;
      this.#drop();
      this.#useSilence();
      this.emit('device', 'missing');
    }
  }

  #use(track: MediaStreamTrack): MediaStreamTrack {
    this.#track = track;
    track.enabled = this.#enabled;
    // Fires when the device disappears, but not when the track is stopped here.
    track.addEventListener('ended', () => {
      if (this.#track === track) this.#replace();
    });
    this.emit('track', track);
    return track;
  }

  #useSilence(): MediaStreamTrack {
    this.#silence = silentTrack();
    return this.#use(this.#silence.track);
  }

  #drop(): void {
    const { track } = this;
    this.#track = null;
    track?.stop();
    this.#silence?.close();
    this.#silence = null;
  }
}

const closedMeanwhile = () => new ClarionError('wrong_state', 'The call has ended.');
const isClosedMeanwhile = (error: unknown) => error instanceof ClarionError && error.code === 'wrong_state';

async function isAllowed(): Promise<boolean> {
  try {
    return (await navigator.permissions.query({ name: 'microphone' })).state === 'granted';
  } catch {
    return false; // A browser without this query would show a prompt.
  }
}

async function microphoneIds(): Promise<string[]> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices.filter(({ kind }) => kind === 'audioinput').map(({ deviceId }) => deviceId);
}

async function capture(deviceId: string | null): Promise<MediaStreamTrack> {
  if (!navigator.mediaDevices)
    throw new ClarionError('microphone_unavailable', 'The microphone is available only on https pages.');
  const audio: MediaTrackConstraints = {
    echoCancellation: true,
    noiseSuppression: true,
    autoGainControl: true,
  };
  try {
    // `ideal` and not `exact`: a call must not fail because the selected microphone was unplugged.
    if (deviceId !== null) audio.deviceId = { ideal: deviceId };
    const stream = await navigator.mediaDevices.getUserMedia({ audio });
    const track = stream.getAudioTracks()[0];
    if (track) return track;
  } catch (cause) {
    if (cause instanceof DOMException && (cause.name === 'NotAllowedError' || cause.name === 'SecurityError'))
      throw new ClarionError('microphone_blocked', 'Microphone access is blocked for this page.', { cause });
    throw new ClarionError('microphone_unavailable', 'The microphone could not be opened.', { cause });
  }
  throw new ClarionError('microphone_unavailable', 'No microphone was found.');
}

function readPreference(): string | null {
  try {
    return localStorage.getItem(PREFERENCE_KEY);
  } catch {
    return null;
  }
}

function writePreference(deviceId: string | null): void {
  try {
    if (deviceId === null) localStorage.removeItem(PREFERENCE_KEY);
    else localStorage.setItem(PREFERENCE_KEY, deviceId);
  } catch {
    // Without storage, the selection lasts until the page is closed.
  }
}
