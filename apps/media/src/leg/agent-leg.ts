/**
 * An agent's leg: one WebRTC transport to the browser. The agent's microphone is one producer, which is tapped only
 * while another leg or the recorder listens to it in JavaScript. The agent hears one consumer at a time: the output of
 * our player (tones, clips, mixed voices), or the carrier's producer while the call is handed over. The SDP does not
 * change in between.
 */
import { randomInt } from 'node:crypto';
import type { LegStats } from '@clarion/protocol/media';
import type { types } from 'mediasoup';
import type { ClipCache } from '../mix/clip-cache.ts';
import { RtpSequencer } from '../rtp/sequencer.ts';
import { LAW_PAYLOAD_TYPE, lawOf, type Law } from '../rtp/g711.ts';
import { buildRtp, parseRtp } from '../rtp/packet.ts';
import type { Ticker } from '../rtp/ticker.ts';
import { browserAnswer, microphoneParameters, parseBrowserOffer } from '../sdp/browser.ts';
import { VOICE_CODECS, type MediaWorker } from '../worker-pool.ts';
import { Player, type PlayerFormat, type PlayerSource } from './player.ts';
import { VoiceSource } from './voice-source.ts';

/** Loss of ICE consent (RFC 7675) for this long counts as a lost network. Browsers check every few seconds. */
const ICE_CONSENT_TIMEOUT_S = 8;
const VOICE: Pick<types.ConsumerOptions, 'rtpCapabilities'> = {
  rtpCapabilities: { codecs: VOICE_CODECS, headerExtensions: [] },
};

export type AgentEvent = 'connected' | 'interrupted' | 'restored';

export interface AgentLegOptions {
  /** monitor: a supervisor, whose leg is never part of a direct pair. */
  kind: 'agent' | 'monitor';
  callId: number;
  legId: string;
  media: MediaWorker;
  ticker: Ticker;
  sdpOffer: string;
  /** The codecs in our order of preference; the browser's order if empty. */
  laws: readonly Law[];
  replaces: string | null;
  clips: ClipCache;
  /** Reports the fact `leg:played`. */
  onPlayed: (playId: string, played: boolean) => void;
  onEvent: (event: AgentEvent) => void;
}

export class AgentLeg {
  readonly side = 'agent';
  readonly kind: 'agent' | 'monitor';
  readonly callId: number;
  readonly legId: string;
  readonly replaces: string | null;
  readonly startedAtMs = performance.now();
  readonly voice: VoiceSource;
  readonly law: Law;
  readonly sdpAnswer: string;
  readonly microphone: types.Producer;
  readonly transport: types.WebRtcTransport;
  readonly #output: types.Producer;
  /**
   * A new consumer with a new SSRC each time the output opens. A browser creates a new stream for an unannounced SSRC,
   * and only the newest stream reaches consumers of the track (WebAudio, a recorder).
   */
  #outputConsumer: types.Consumer | null = null;
  readonly #tap: types.Consumer;
  readonly #player: Player;
  readonly #onEvent: (event: AgentEvent) => void;
  /** All consumers that send to the browser, including those of handed-over calls. */
  readonly #consumers = new Set<types.Consumer>();
  #state: 'CONNECTING' | 'CONNECTED' | 'DISCONNECTED' = 'CONNECTING';
  #everConnected = false;
  readonly #format: PlayerFormat;
  #closed = false;
  /** Whether the tap should be open; changes are applied in order. */
  #tapWanted = false;
  #tapTurn: Promise<void> = Promise.resolve();

  private constructor(
    options: AgentLegOptions,
    parts: {
      law: Law;
      sdpAnswer: string;
      transport: types.WebRtcTransport;
      microphone: types.Producer;
      output: types.Producer;
      tap: types.Consumer;
      outputSsrc: number;
    },
  ) {
    this.kind = options.kind;
    this.callId = options.callId;
    this.legId = options.legId;
    this.replaces = options.replaces;
    this.law = parts.law;
    this.sdpAnswer = parts.sdpAnswer;
    this.transport = parts.transport;
    this.microphone = parts.microphone;
    this.#output = parts.output;
    this.#tap = parts.tap;
    this.#onEvent = options.onEvent;
    this.voice = new VoiceSource((wanted) => this.#setTap(wanted));
    this.#tap.on('rtp', (datagram) => this.#receive(datagram));
    this.#format = {
      law: this.law,
      payloadType: LAW_PAYLOAD_TYPE[this.law],
      dtmfPayloadType: null,
      // mediasoup starts a stream only at a packet of its first codec, so the output uses a single codec.
      passThrough: { PCMU: null, PCMA: null, [this.law]: LAW_PAYLOAD_TYPE[this.law] },
    };
    this.#player = new Player({
      ticker: options.ticker,
      clips: options.clips,
      onPlayed: options.onPlayed,
      sequencer: new RtpSequencer({ ssrc: parts.outputSsrc, sequenceNumber: 0, timestamp: 0 }),
      format: () => (this.#everConnected ? this.#format : null),
      send: (packet) => {
        if (!this.#output.closed) this.#output.send(buildRtp(packet));
      },
      sendsSilence: false,
    });
    this.transport.observer.on('newconsumer', (consumer) => {
      this.#consumers.add(consumer);
      consumer.observer.once('close', () => this.#consumers.delete(consumer));
    });
    this.transport.on('icestatechange', () => this.#networkChanged());
    this.transport.on('dtlsstatechange', () => this.#networkChanged());
  }

  /** Throws BadSdp if the offer cannot be answered. */
  static async create(options: AgentLegOptions): Promise<AgentLeg> {
    const offer = parseBrowserOffer(options.sdpOffer);
    const wanted = options.laws.filter((law) => offer.laws.includes(law));
    const laws = [...new Set([...wanted, ...offer.laws])];
    const law = laws[0] ?? 'PCMU';
    const { router, webRtcServer, direct } = options.media;
    const transport = await router.createWebRtcTransport({
      webRtcServer,
      enableUdp: true,
      enableTcp: true,
      preferUdp: true,
      iceConsentTimeout: ICE_CONSENT_TIMEOUT_S,
    });
    const outputSsrc = randomInt(1, 0x7fffffff);
    const whenOutput = direct.produce({
      kind: 'audio',
      rtpParameters: {
        codecs: [{ mimeType: `audio/${law}`, payloadType: LAW_PAYLOAD_TYPE[law], clockRate: 8_000 }],
        encodings: [{ ssrc: outputSsrc }],
      },
    });
    try {
      // Requested together: the worker is woken once.
      const [microphone, output] = await Promise.all([
        transport.produce({ kind: 'audio', rtpParameters: microphoneParameters(offer, laws) }),
        whenOutput,
        transport.connect({ dtlsParameters: { role: 'client', fingerprints: [offer.fingerprint] } }),
      ]);
      const tap = await direct.consume({ producerId: microphone.id, ...VOICE, paused: true });
      const sdpAnswer = browserAnswer(
        offer,
        laws,
        {
          ice: transport.iceParameters,
          candidates: transport.iceCandidates,
          fingerprints: transport.dtlsParameters.fingerprints,
        },
        randomInt(1, 0x7fffffff),
      );
      return new AgentLeg(options, {
        law,
        sdpAnswer,
        transport,
        microphone,
        output,
        tap,
        outputSsrc,
      });
    } catch (error) {
      transport.close();
      // The output belongs to the worker's transport, so closing ours does not close it.
      void whenOutput.then(
        (output) => output.close(),
        () => undefined,
      );
      throw error;
    }
  }

  get state(): 'CONNECTING' | 'CONNECTED' | 'DISCONNECTED' {
    return this.#state;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Plays these sources through our output. */
  async hear(sources: readonly PlayerSource[]): Promise<void> {
    this.play(sources);
    await this.openOutput();
  }

  /** Like `hear`, for an output that is already open. */
  play(sources: readonly PlayerSource[]): void {
    if (!this.#closed) this.#player.play(sources);
  }

  async openOutput(): Promise<void> {
    if (this.#outputConsumer || this.#closed) return;
    const consumer = await this.transport.consume({ producerId: this.#output.id, ...VOICE });
    this.#outputConsumer = consumer;
  }

  /** Stops our output because the call is handed over and the carrier's producer is heard directly. */
  closeOutput(): void {
    this.#player.stop();
    this.#outputConsumer?.close();
    this.#outputConsumer = null;
  }

  /** Increases while anything arrives from the browser. */
  async activityCount(): Promise<number> {
    const [stat] = this.#closed || this.microphone.closed ? [] : await this.microphone.getStats();
    return stat?.packetCount ?? 0;
  }

  async stats(): Promise<LegStats> {
    const [received, towards] = await Promise.all([
      this.#closed || this.microphone.closed ? [] : this.microphone.getStats(),
      this.#towards(),
    ]);
    const [stat] = received;
    return {
      codec: this.law,
      durationMs: Math.round(performance.now() - this.startedAtMs),
      receivedPackets: stat?.packetCount ?? 0,
      lostPackets: Math.max(0, stat?.packetsLost ?? 0),
      jitterMs: Math.round((stat?.jitter ?? 0) / 8),
      roundTripMs: towards?.roundTripMs ?? null,
      sentPackets: null,
      remoteLossPercent: towards?.remoteLossPercent ?? null,
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#player.close();
    this.#tap.close();
    this.#output.close();
    this.transport.close();
  }

  /** The browser's last report on what it hears, from the consumer that was sending. */
  async #towards(): Promise<{ roundTripMs: number; remoteLossPercent: number } | null> {
    for (const consumer of [...this.#consumers].toReversed()) {
      const stats = consumer.closed ? [] : await consumer.getStats().catch(() => []);
      const sent = stats.find((stat) => stat.type === 'outbound-rtp');
      // mediasoup reports a round-trip time of 0 until the first receiver report arrives.
      if (!sent?.roundTripTime) continue;
      const remoteLossPercent = Math.round((sent.fractionLost / 256) * 1_000) / 10;
      return { roundTripMs: Math.round(sent.roundTripTime), remoteLossPercent };
    }
    return null;
  }

  #receive(datagram: Buffer): void {
    if (!this.voice.hasListeners) return;
    const packet = parseRtp(datagram);
    const law = packet && lawOf(packet.payloadType);
    if (packet && law) this.voice.push(packet, law, packet.ssrc, this, performance.now());
  }

  /** Pauses and resumes the tap in order, and only if the requested state has changed. */
  #setTap(wanted: boolean): void {
    this.#tapWanted = wanted;
    this.#tapTurn = this.#tapTurn.then(async () => {
      if (this.#closed || this.#tap.closed || this.#tap.paused === !this.#tapWanted) return;
      await (this.#tapWanted ? this.#tap.resume() : this.#tap.pause()).catch(() => undefined);
    });
  }

  #networkChanged(): void {
    if (this.#closed) return;
    const { iceState, dtlsState } = this.transport;
    const up = (iceState === 'connected' || iceState === 'completed') && dtlsState === 'connected';
    if (up && this.#state !== 'CONNECTED') {
      const event = this.#everConnected ? 'restored' : 'connected';
      this.#state = 'CONNECTED';
      this.#everConnected = true;
      this.#onEvent(event);
    } else if (!up && this.#state === 'CONNECTED') {
      this.#state = 'DISCONNECTED';
      this.#onEvent('interrupted');
    }
  }
}
