/** A customer without audio, for tests of the signalling alone: valid SDP, no sockets. A test reports media by hand. */
import { randomBytes } from 'node:crypto';
import type {
  CustomerMedia,
  CustomerMediaFactory,
  Heard,
  MediaContext,
  MediaCounters,
} from './customer-media.ts';
import { META_MID } from './relay.ts';
import {
  OPUS,
  OPUS_PAYLOAD_TYPE,
  parseSdp,
  TELEPHONE_EVENT,
  TELEPHONE_EVENT_PAYLOAD_TYPE,
  writeSdp,
} from './sdp.ts';

const FINGERPRINT_BYTES = 32;

export const silentMedia = (): CustomerMediaFactory => async (context) => new SilentMedia(context);

export class SilentMedia implements CustomerMedia {
  readonly #context: MediaContext;
  /** What `counters` reports as the time since the last packet. */
  silentForMs: number | null = 0;

  constructor(context: MediaContext) {
    this.#context = context;
  }

  async createOffer(): Promise<string> {
    return describe('actpass', META_MID);
  }

  async applyRemote(): Promise<void> {
    this.#context.onEvent({ type: 'connected' });
  }

  async createAnswer(offer: string): Promise<string> {
    return describe('active', parseSdp(offer)?.mid ?? META_MID);
  }

  open(): void {
    // There is no audio that could begin.
  }

  play(): void {
    // There is nobody who would hear it.
  }

  async sendDigits(): Promise<void> {
    // They would be RTP packets.
  }

  async heard(): Promise<Heard> {
    return { levelDb: -120, hz: null, overRestDb: -120 };
  }

  counters(): MediaCounters {
    return {
      packetsSent: 0,
      packetsReceived: 0,
      earlyPackets: 0,
      silentForMs: this.silentForMs,
      iceChecks: 0,
      iceUnauthorized: 0,
      iceRoleConflicts: 0,
      digits: '',
    };
  }

  interrupt(what: 'media' | 'consent', interrupted: boolean): void {
    if (what === 'media' && interrupted) this.silentForMs = null;
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}

const describe = (setup: string, mid: string): string =>
  writeSdp({
    address: '127.0.0.1',
    port: 9,
    ufrag: randomBytes(4).toString('hex'),
    password: randomBytes(12).toString('hex'),
    fingerprint: [...randomBytes(FINGERPRINT_BYTES)]
      .map((byte) => byte.toString(16).padStart(2, '0').toUpperCase())
      .join(':'),
    setup,
    mid,
    codecs: [
      { payloadType: OPUS_PAYLOAD_TYPE, name: OPUS },
      { payloadType: TELEPHONE_EVENT_PAYLOAD_TYPE, name: TELEPHONE_EVENT },
    ],
    ssrc: 1,
  });
