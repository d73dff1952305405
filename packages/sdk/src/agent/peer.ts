import type { IceServer } from '@clarion/protocol/socket';
import { ClarionError } from './errors.ts';
import type { MediaPlatform } from './platform.ts';

/** One attempt to negotiate audio with the service. Every attempt uses a new peer. */
export class Peer {
  readonly connection: RTCPeerConnection;
  /** Available once the answer is applied. It contains audio once `connected`. */
  remote: MediaStream | null = null;
  readonly #sender: RTCRtpSender;
  #offer: RTCSessionDescriptionInit | null = null;

  /** Sends nothing until `useTrack`, so that an offer does not need the microphone. */
  constructor(platform: Pick<MediaPlatform, 'newPeerConnection' | 'newStream'>, iceServers: IceServer[]) {
    this.connection = platform.newPeerConnection({ iceServers, bundlePolicy: 'max-bundle' });
    const transceiver = this.connection.addTransceiver('audio', { direction: 'sendrecv' });
    this.#sender = transceiver.sender;
    this.connection.addEventListener('track', ({ track: heard, streams }) => {
      this.remote = streams[0] ?? platform.newStream(heard);
    });
  }

  /** Null until `prepare` has resolved. */
  get offer(): string | null {
    return this.#offer?.sdp ?? null;
  }

  /** Creates the offer. Nothing is gathered yet. */
  async prepare(): Promise<string> {
    this.#offer = await this.connection.createOffer();
    const { sdp } = this.#offer;
    if (!sdp) throw new ClarionError('media_failed', 'No SDP offer was created.');
    return sdp;
  }

  /**
   * Starts gathering candidates. The service does not need them in the offer: media is ICE-lite (RFC 8445, 2.5), sends no checks
   * and learns the address of this browser or of its relay from the checks that it receives.
   */
  async gather(): Promise<void> {
    if (this.#offer) await this.connection.setLocalDescription(this.#offer);
  }

  async answer(sdp: string): Promise<void> {
    try {
      await this.connection.setRemoteDescription({ type: 'answer', sdp });
    } catch (cause) {
      throw new ClarionError('media_failed', "The service's SDP answer could not be applied.", { cause });
    }
  }

  async useTrack(track: MediaStreamTrack | null): Promise<void> {
    if (this.connection.signalingState !== 'closed') await this.#sender.replaceTrack(track);
  }

  get connected(): boolean {
    return this.connection.connectionState === 'connected';
  }

  close(): void {
    this.connection.close();
  }
}
