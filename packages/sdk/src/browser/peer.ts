import type { IceServer } from '@clarion/protocol/socket';
import { ClarionError } from './errors.ts';

/** One attempt to negotiate audio with the service. Every attempt uses a new peer. */
export class Peer {
  readonly connection: RTCPeerConnection;
  /** Available once the answer is applied. It contains audio once `connected`. */
  remote: MediaStream | null = null;
  readonly #sender: RTCRtpSender;

  constructor(iceServers: IceServer[], track: MediaStreamTrack) {
    this.connection = new RTCPeerConnection({ iceServers, bundlePolicy: 'max-bundle' });
    const transceiver = this.connection.addTransceiver(track, { direction: 'sendrecv' });
    this.#sender = transceiver.sender;
    this.connection.addEventListener('track', ({ track: heard, streams }) => {
      this.remote = streams[0] ?? new MediaStream([heard]);
    });
  }

  /**
   * Does not wait for candidates: media is ICE-lite (RFC 8445, 2.5), sends no checks and learns the address of this browser or of
   * its relay from the checks that it receives. Gathering continues while the offer is in flight.
   */
  async offer(): Promise<string> {
    await this.connection.setLocalDescription();
    const sdp = this.connection.localDescription?.sdp;
    if (!sdp) throw new ClarionError('media_failed', 'The browser did not create an SDP offer.');
    return sdp;
  }

  async answer(sdp: string): Promise<void> {
    try {
      await this.connection.setRemoteDescription({ type: 'answer', sdp });
    } catch (cause) {
      throw new ClarionError('media_failed', "The service's SDP answer could not be applied.", { cause });
    }
  }

  async useTrack(track: MediaStreamTrack): Promise<void> {
    if (this.connection.signalingState !== 'closed') await this.#sender.replaceTrack(track);
  }

  get connected(): boolean {
    return this.connection.connectionState === 'connected';
  }

  close(): void {
    this.connection.close();
  }
}
