/** The result of the offer and answer with a carrier, prepared for packet handling. Pure. */
import type { PacketKind } from '../endpoint/local-rtp-endpoint.ts';
import type { Law } from '../rtp/g711.ts';
import { DTMF_PAYLOAD_TYPE, type CarrierSdp } from '../sdp/carrier.ts';
import type { PlayerFormat } from './player.ts';

/** What both parties agreed on. */
export interface CarrierSession {
  remote: CarrierSdp;
  /** The first is the codec that we send. */
  laws: readonly { law: Law; payloadType: number }[];
}

/** RFC 3551 table 4. The payload type is static, and many remote parties send comfort noise without negotiating it. */
const COMFORT_NOISE_PAYLOAD_TYPE = 13;

export class NegotiatedMedia {
  readonly laws: readonly Law[];
  readonly sending: PlayerFormat | null;
  readonly ptimeMs: number;
  /** The payload types of received telephone events. */
  readonly dtmfPayloadTypes: readonly number[];
  readonly #laws: ReadonlyMap<number, Law>;

  /** @param offered whether the session began with our offer, which names our payload types */
  constructor({ laws, remote }: CarrierSession, offered: boolean) {
    const [first] = laws;
    this.#laws = new Map(laws.map(({ law, payloadType }) => [payloadType, law]));
    this.laws = laws.map(({ law }) => law);
    this.ptimeMs = remote.ptimeMs;
    // RFC 3264 §6.1: the answer may choose other payload types for what we send; what we receive keeps those of our
    // offer.
    const keys = remote.dtmfPayloadType === null ? [] : [remote.dtmfPayloadType];
    if (offered && keys.length > 0) keys.push(DTMF_PAYLOAD_TYPE);
    this.dtmfPayloadTypes = [...new Set(keys)].filter((payloadType) => !this.#laws.has(payloadType));
    const passing = Object.fromEntries(laws.map(({ law, payloadType }) => [law, payloadType]));
    this.sending = first
      ? {
          ...first,
          dtmfPayloadType: remote.dtmfPayloadType,
          passThrough: { PCMU: null, PCMA: null, ...passing },
        }
      : null;
  }

  lawOf(payloadType: number): Law | null {
    return this.#laws.get(payloadType) ?? null;
  }

  kindOf(payloadType: number): PacketKind | null {
    if (this.#laws.has(payloadType)) return 'voice';
    if (this.dtmfPayloadTypes.includes(payloadType)) return 'dtmf';
    return payloadType === COMFORT_NOISE_PAYLOAD_TYPE ? 'comfort-noise' : null;
  }
}
