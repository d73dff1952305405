/**
 * Gives a full WebRTC agent the outside of Meta's: the business sees one ICE-lite candidate, and the agent behind it (libdatachannel, a
 * browser) sees another. DTLS and SRTP pass between the two unread, so that the business talks DTLS with the agent itself.
 */
import { randomInt } from 'node:crypto';
import { IceLiteAgent, type IceLiteCounters } from './ice-lite.ts';
import { OPUS, OPUS_PAYLOAD_TYPE, TELEPHONE_EVENT, TELEPHONE_EVENT_PAYLOAD_TYPE } from './sdp.ts';
import { parseSdp, payloadTypeOf, writeSdp, type Codec } from './sdp.ts';

/** Meta's name of the only media section. */
export const META_MID = 'audio';
const MAX_SSRC = 0xffff_ffff;

export interface RelayOptions {
  /** Where the business reaches the customer's media. */
  readonly address: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Where the agent behind it reaches the relay. */
  readonly agentAddress: string;
  /** False drops a datagram of the agent or of the business. */
  readonly passes?: (datagram: Buffer, from: 'agent' | 'business') => boolean;
}

export class MetaRelay {
  readonly #options: RelayOptions;
  #outside!: IceLiteAgent;
  #inside!: IceLiteAgent;
  #mid = META_MID;
  #agentMid = META_MID;
  #codecs: readonly Codec[] = [
    { payloadType: OPUS_PAYLOAD_TYPE, name: OPUS },
    { payloadType: TELEPHONE_EVENT_PAYLOAD_TYPE, name: TELEPHONE_EVENT },
  ];
  readonly ssrc = randomInt(1, MAX_SSRC);

  private constructor(options: RelayOptions) {
    this.#options = options;
  }

  static async open(options: RelayOptions): Promise<MetaRelay> {
    const relay = new MetaRelay(options);
    const { address, port, agentAddress, passes = () => true } = options;
    relay.#outside = await IceLiteAgent.open(address, port, (datagram) => {
      if (passes(datagram, 'business')) relay.#inside.send(datagram);
    });
    relay.#inside = await IceLiteAgent.open(agentAddress, 0, (datagram) => {
      if (passes(datagram, 'agent')) relay.#outside.send(datagram);
    });
    return relay;
  }

  get iceCounters(): IceLiteCounters {
    return this.#outside.counters;
  }

  get opus(): number {
    return this.#codecs.find(({ name }) => name.toLowerCase() === OPUS)?.payloadType ?? OPUS_PAYLOAD_TYPE;
  }

  get telephoneEvent(): number {
    return (
      this.#codecs.find(({ name }) => name.toLowerCase() === TELEPHONE_EVENT)?.payloadType ??
      TELEPHONE_EVENT_PAYLOAD_TYPE
    );
  }

  set answersChecks(answers: boolean) {
    this.#outside.responds = answers;
  }

  /** Takes over the codecs and the name of the section of an agent that makes the offer; returns its fingerprint. */
  adopt(agentSdp: string): string {
    const parsed = parseSdp(agentSdp);
    const fingerprint = parsed?.fingerprints.find(({ algorithm }) => algorithm === 'sha-256');
    const opus = parsed ? payloadTypeOf(parsed, OPUS) : undefined;
    if (!parsed || !fingerprint || opus === undefined)
      throw new Error('the SDP has no SHA-256 fingerprint or no Opus');
    this.#agentMid = parsed.mid ?? META_MID;
    const events = payloadTypeOf(parsed, TELEPHONE_EVENT) ?? TELEPHONE_EVENT_PAYLOAD_TYPE;
    this.#codecs = [
      { payloadType: opus, name: OPUS },
      { payloadType: events, name: TELEPHONE_EVENT },
    ];
    return fingerprint.value;
  }

  /** The description that the business gets, with the fingerprint of the agent behind. */
  toBusiness(fingerprint: string, setup: 'actpass' | 'active'): string {
    return this.#describe(this.#outside, this.#options.address, fingerprint, setup, this.ssrc);
  }

  /** The description that the agent behind gets in place of the business's. Throws if the business's cannot be used. */
  toAgent(businessSdp: string): string {
    const parsed = parseSdp(businessSdp);
    const [fingerprint] = parsed?.fingerprints ?? [];
    if (!parsed || !fingerprint) throw new Error('the SDP of the business has no fingerprint');
    const opus = payloadTypeOf(parsed, OPUS);
    if (opus === undefined) throw new Error('the SDP of the business has no Opus');
    this.#mid = parsed.mid ?? META_MID;
    // Meta sends telephone events as 126 even to a business that has not offered them.
    const events = payloadTypeOf(parsed, TELEPHONE_EVENT) ?? TELEPHONE_EVENT_PAYLOAD_TYPE;
    this.#codecs = [
      { payloadType: opus, name: OPUS },
      { payloadType: events, name: TELEPHONE_EVENT },
    ];
    const { agentAddress } = this.#options;
    return this.#describe(this.#inside, agentAddress, fingerprint.value, parsed.setup ?? 'active', null);
  }

  close(): void {
    this.#outside.close();
    this.#inside.close();
  }

  #describe(
    ice: IceLiteAgent,
    address: string,
    fingerprint: string,
    setup: string,
    ssrc: number | null,
  ): string {
    const { ufrag, password, port } = ice;
    // Each side knows the section by its own name.
    const mid = ice === this.#inside ? this.#agentMid : this.#mid;
    return writeSdp({ address, port, ufrag, password, fingerprint, setup, mid, codecs: this.#codecs, ssrc });
  }
}
