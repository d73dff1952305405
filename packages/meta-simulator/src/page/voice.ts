/** The customer's audio: the microphone, or a tone if there is none, and the connection to the business. */

const TONE_HZ = 440;
/** A short tone every two seconds, so that an agent hears that the audio works and can still talk. */
const TONE_SECONDS = 0.4;
const TONE_EVERY_SECONDS = 2;
const TONE_GAIN = 0.15;
const TONES_AHEAD = 1800; // an hour
/** All candidates are on this machine. */
const GATHER_WITHIN_MS = 1000;

export interface Source {
  readonly track: MediaStreamTrack;
  /** What the person is told; null if it is the microphone. */
  readonly note: string | null;
  readonly stop: () => void;
}

/** The microphone. If there is none, or the person refuses it, a tone. */
export async function openSource(): Promise<Source> {
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const [track] = stream.getAudioTracks();
    if (track) return { track, note: null, stop: () => track.stop() };
    return tone('No microphone was found: the business hears a tone instead.');
  } catch (error) {
    const refused = error instanceof DOMException && error.name === 'NotAllowedError';
    return tone(
      refused
        ? 'The microphone was refused: the business hears a tone instead.'
        : 'No microphone was found: the business hears a tone instead.',
    );
  }
}

function tone(note: string): Source {
  const context = new AudioContext();
  const output = context.createMediaStreamDestination();
  const oscillator = new OscillatorNode(context, { frequency: TONE_HZ });
  const gain = new GainNode(context, { gain: 0 });
  for (let i = 0; i < TONES_AHEAD; i += 1) {
    const at = context.currentTime + i * TONE_EVERY_SECONDS;
    gain.gain.setValueAtTime(TONE_GAIN, at);
    gain.gain.setValueAtTime(0, at + TONE_SECONDS);
  }
  oscillator.connect(gain).connect(output);
  oscillator.start();
  const [track] = output.stream.getAudioTracks();
  if (!track) throw new Error('the browser cannot play a tone');
  return { track, note, stop: () => void context.close() };
}

/** The connection of one call. It is made without a microphone, so that a call can ring before the person has allowed it. */
export class Voice {
  readonly #peer = new RTCPeerConnection();
  #source: Source | null = null;

  constructor(onAudio: (stream: MediaStream) => void) {
    this.#peer.addEventListener('track', ({ track }) => onAudio(new MediaStream([track])));
  }

  async offer(): Promise<string> {
    this.#peer.addTransceiver(this.#source?.track ?? 'audio');
    await this.#peer.setLocalDescription(await this.#peer.createOffer());
    return this.#gathered();
  }

  async answer(offer: string): Promise<string> {
    await this.#peer.setRemoteDescription({ type: 'offer', sdp: offer });
    for (const transceiver of this.#peer.getTransceivers()) transceiver.direction = 'sendrecv';
    await this.#peer.setLocalDescription(await this.#peer.createAnswer());
    return this.#gathered();
  }

  async apply(answer: string): Promise<void> {
    await this.#peer.setRemoteDescription({ type: 'answer', sdp: answer });
  }

  /** Sends the source, which belongs to the connection from now on. */
  async speak(source: Source): Promise<void> {
    this.#source?.stop();
    this.#source = source;
    await this.#sender?.replaceTrack(source.track);
  }

  set muted(muted: boolean) {
    if (this.#source) this.#source.track.enabled = !muted;
  }

  /** False if the business did not negotiate telephone events. */
  press(digit: string): boolean {
    const dtmf = this.#sender?.dtmf;
    if (!dtmf?.canInsertDTMF) return false;
    dtmf.insertDTMF(dtmf.toneBuffer + digit);
    return true;
  }

  close(): void {
    this.#peer.close();
    this.#source?.stop();
  }

  get #sender(): RTCRtpSender | undefined {
    return this.#peer.getSenders()[0];
  }

  async #gathered(): Promise<string> {
    await new Promise<void>((resolve) => {
      if (this.#peer.iceGatheringState === 'complete') return resolve();
      const timer = setTimeout(resolve, GATHER_WITHIN_MS);
      this.#peer.addEventListener('icegatheringstatechange', () => {
        if (this.#peer.iceGatheringState !== 'complete') return;
        clearTimeout(timer);
        resolve();
      });
    });
    return this.#peer.localDescription?.sdp ?? '';
  }
}
