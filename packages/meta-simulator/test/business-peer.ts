/** A business's end of the audio: a full ICE agent with DTLS, SRTP and Opus, as an implementation of the API would have it. */
import { Audio, PeerConnection, type Track } from 'node-datachannel';
import { Listener } from '../src/media/listener.ts';
import { Speaker } from '../src/media/speaker.ts';
import type { CustomerAudio } from '../src/media/customer-media.ts';

const PAYLOAD_TYPES = { opus: 111, telephoneEvent: 126 };
const SSRC = 4711;

export class BusinessPeer {
  readonly ears = new Listener({ onDigit: () => undefined, onAudio: () => undefined });
  readonly #connection = new PeerConnection('business', {
    iceServers: [],
    bindAddress: '127.0.0.1',
    forceMediaTransport: true,
    disableAutoNegotiation: true,
  });
  readonly #track: Track;
  speaker!: Speaker;

  private constructor(mid: string) {
    const audio = new Audio(mid, 'SendRecv');
    audio.addOpusCodec(PAYLOAD_TYPES.opus);
    audio.addAudioCodec(PAYLOAD_TYPES.telephoneEvent, 'telephone-event/8000');
    audio.addSSRC(SSRC, 'business');
    this.#track = this.#connection.addTrack(audio);
    this.#track.onMessage((packet) => this.ears.take(packet, PAYLOAD_TYPES));
  }

  static async open(mid = 'audio'): Promise<BusinessPeer> {
    const peer = new BusinessPeer(mid);
    peer.speaker = await Speaker.create({
      ssrc: SSRC,
      firstSequence: 1,
      payloadTypes: () => PAYLOAD_TYPES,
      send: (packet) => peer.#track.isOpen() && peer.#track.sendMessageBinary(packet),
    });
    return peer;
  }

  async offer(): Promise<{ sdp_type: string; sdp: string }> {
    return { sdp_type: 'offer', sdp: await this.#local('offer') };
  }

  async answer(offer: string): Promise<{ sdp_type: string; sdp: string }> {
    this.#connection.setRemoteDescription(offer, 'offer');
    return { sdp_type: 'answer', sdp: await this.#local('answer') };
  }

  apply(answer: string): void {
    this.#connection.setRemoteDescription(answer, 'answer');
  }

  speak(audio: CustomerAudio): void {
    this.speaker.play(audio);
    this.speaker.start();
  }

  close(): void {
    this.speaker.close();
    this.#track.close();
    this.#connection.close();
  }

  async #local(type: 'offer' | 'answer'): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#connection.onGatheringStateChange((state) => state === 'complete' && resolve());
      this.#connection.setLocalDescription(type);
    });
    return this.#connection.localDescription()?.sdp ?? '';
  }
}
