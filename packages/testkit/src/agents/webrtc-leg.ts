/**
 * A browser's end of the audio without a browser: ICE, DTLS and SRTP by libdatachannel, RTP by testkit. Light enough for hundreds in
 * one process. To test that a real browser works, use Chromium (browser.ts).
 */
import { Audio, PeerConnection, type Track } from 'node-datachannel';
import { payloadTypes, type Law } from '@clarion/test-phone/rtp/g711';
import { RtpStream } from '@clarion/test-phone/rtp/port';

const CONNECT_TIMEOUT_MS = 10_000;
let count = 0;

export class LegClosed extends Error {
  constructor() {
    super('the leg was closed before it was connected');
  }
}

export class WebRtcLeg extends RtpStream {
  readonly #connection: PeerConnection;
  readonly #track: Track;
  #closed = false;
  /** Rejects the `accept` that is in progress. */
  #abandon: (() => void) | null = null;

  constructor(law: Law = 'PCMA', laws: readonly Law[] = ['PCMA', 'PCMU'], bindAddress = '127.0.0.1') {
    super(law);
    count += 1;
    this.#connection = new PeerConnection(`leg-${count}`, {
      iceServers: [],
      bindAddress,
      forceMediaTransport: true,
      disableAutoNegotiation: true,
    });
    const audio = new Audio('0', 'SendRecv');
    for (const each of laws) audio.addAudioCodec(payloadTypes[each], `${each}/8000`);
    audio.addSSRC(this.ssrc, 'testkit', 'stream', 'track');
    this.#track = this.#connection.addTrack(audio);
    this.#track.onMessage((packet) => this.take(packet, 'webrtc'));
  }

  /** The offer, with all ICE candidates. */
  async offer(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#connection.onGatheringStateChange((state) => state === 'complete' && resolve());
      this.#connection.setLocalDescription('offer');
    });
    return this.#connection.localDescription()?.sdp ?? '';
  }

  /** Resolves once ICE and DTLS have finished; `law` is then the one that the answer chose. Rejects if closed before. */
  async accept(answer: string): Promise<void> {
    if (this.#closed) throw new LegClosed();
    const type = /^m=audio \d+ \S+ (\d+)/m.exec(answer)?.[1];
    this.law = type === String(payloadTypes.PCMU) ? 'PCMU' : 'PCMA';
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no WebRTC connection in time')), CONNECT_TIMEOUT_MS);
      this.#connection.onStateChange((state) => {
        if (state !== 'connected' && state !== 'failed') return;
        clearTimeout(timer);
        if (state === 'connected') resolve();
        else reject(new Error('the WebRTC connection failed'));
      });
      this.#abandon = () => {
        clearTimeout(timer);
        reject(new LegClosed());
      };
      this.#connection.setRemoteDescription(answer, 'answer');
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#abandon?.();
    this.silence();
    this.#track.close();
    this.#connection.close();
  }

  protected override transmit(packet: Buffer): boolean {
    if (this.#closed || !this.#track.isOpen()) return false;
    try {
      return this.#track.sendMessageBinary(packet);
    } catch {
      return false; // the far end has closed it since the check, because the library runs its own threads
    }
  }
}
