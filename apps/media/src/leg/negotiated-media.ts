/** The result of the offer and answer with a carrier, prepared for packet handling. Pure. */
import type { CarrierCodec } from '@clarion/protocol/media';
import type { PacketKind } from '../endpoint/local-rtp-endpoint.ts';
import { LAW_PAYLOAD_TYPE, lawNamed, lawOf, type Law } from '../rtp/g711.ts';
import { DTMF_PAYLOAD_TYPE } from '../sdp/carrier.ts';
import type { Agreement } from '../sip/agreement.ts';
import { G722_LAW } from './g722-audio.ts';
import type { PlayerFormat } from './player.ts';

/** RFC 3551 table 4. The payload type is static, and many remote parties send comfort noise without negotiating it. */
const COMFORT_NOISE_PAYLOAD_TYPE = 13;

export class NegotiatedMedia {
  /** The G.711 laws that need no transcoding. */
  readonly laws: readonly { law: Law; payloadType: number }[];
  readonly codec: CarrierCodec | null;
  /** What the player produces: G.711 in any case. */
  readonly sending: PlayerFormat | null;
  /** The payload type to which the player's voice is transcoded; null: it is sent as it is. */
  readonly sendsG722As: number | null;
  readonly receivesG722: boolean;
  readonly ptimeMs: number;
  /** The payload types of received telephone events. */
  readonly dtmfPayloadTypes: readonly number[];
  readonly #codecs: ReadonlyMap<number, CarrierCodec>;

  /** @param offered whether the session began with our offer, which names our payload types */
  constructor({ codecs, remote }: Agreement, offered: boolean) {
    const [first] = codecs;
    this.#codecs = new Map(codecs.map(({ codec, payloadType }) => [payloadType, codec]));
    this.codec = first?.codec ?? null;
    this.receivesG722 = codecs.some(({ codec }) => codec === 'G722');
    this.sendsG722As = first?.codec === 'G722' ? first.payloadType : null;
    const laws = codecs.flatMap(({ codec, payloadType }) => {
      const law = lawNamed(codec);
      return law ? [{ law, payloadType }] : [];
    });
    this.laws =
      this.sendsG722As === null ? laws : [{ law: G722_LAW, payloadType: LAW_PAYLOAD_TYPE[G722_LAW] }];
    this.ptimeMs = remote.ptimeMs;
    // RFC 3264 §6.1: the answer may choose other payload types for what we send; what we receive keeps those of our
    // offer.
    const keys = remote.dtmfPayloadType === null ? [] : [remote.dtmfPayloadType];
    if (offered && keys.length > 0) keys.push(DTMF_PAYLOAD_TYPE);
    this.dtmfPayloadTypes = [...new Set(keys)].filter((payloadType) => !this.#codecs.has(payloadType));
    const [law] = this.laws;
    // Before it is transcoded to G.722, both laws may pass with their static payload types.
    const passing =
      this.sendsG722As === null
        ? Object.fromEntries(laws.map((one) => [one.law, one.payloadType]))
        : LAW_PAYLOAD_TYPE;
    this.sending = law
      ? {
          ...law,
          dtmfPayloadType: remote.dtmfPayloadType,
          passThrough: { PCMU: null, PCMA: null, ...passing },
        }
      : null;
  }

  /** Of a received packet. */
  codecOf(payloadType: number): CarrierCodec | null {
    return this.#codecs.get(payloadType) ?? null;
  }

  /** Of a packet of the player. */
  sentLawOf(payloadType: number): Law | null {
    if (this.sendsG722As !== null) return lawOf(payloadType);
    return lawNamed(this.codecOf(payloadType) ?? '');
  }

  kindOf(payloadType: number): PacketKind | null {
    if (this.#codecs.has(payloadType)) return 'voice';
    if (this.dtmfPayloadTypes.includes(payloadType)) return 'dtmf';
    return payloadType === COMFORT_NOISE_PAYLOAD_TYPE ? 'comfort-noise' : null;
  }
}
