/**
 * WhatsApp's side of calls in tests: the simulator of Meta, and its customers' calls with the interface of a phone's calls. What a customer
 * hears is decoded to the stream of a telephone, so that both are measured in the same way.
 */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import {
  realMedia,
  startMetaSimulator,
  type Behaviour,
  type CallView,
  type JournalEntry,
  type MetaSimulator,
  type RtpPacket,
} from '@clarion/meta-simulator';
import { encode, payloadTypes, SAMPLE_RATE } from '@clarion/test-phone/rtp/g711';
import { RtpStream } from '@clarion/test-phone/rtp/port';
import type { CallEnd } from '@clarion/test-phone/sip/call';
import { createDecoder, type OpusDecoderHandle } from 'libopus-wasm';
import type { FarCall } from './far-call.ts';

export const ACCESS_TOKEN = 'EAAB-of-tests';
export const APP_SECRET = 'secret of the app in tests';
export const VERIFY_TOKEN = 'verify token of tests';
const LAW = 'PCMU';
/** Opus has a clock of 48 kHz in RTP, whatever its content (RFC 7587, section 4.1). */
const OPUS_RATE = 48_000;
const WAIT_MS = 10_000;

/** One simulated Meta, with as many numbers and customers as tests need. */
export class Meta {
  readonly simulator: MetaSimulator;
  readonly #decoder: OpusDecoderFactory;
  readonly #calls: Map<string, WhatsAppAudio>;
  #numbers = 0;
  #customers = 0;

  private constructor(
    simulator: MetaSimulator,
    calls: Map<string, WhatsAppAudio>,
    decoder: OpusDecoderFactory,
  ) {
    this.simulator = simulator;
    this.#calls = calls;
    this.#decoder = decoder;
  }

  static async start(webhookUrl: string): Promise<Meta> {
    const calls = new Map<string, WhatsAppAudio>();
    const simulator = await startMetaSimulator({
      webhookUrl,
      appSecret: APP_SECRET,
      verifyToken: VERIFY_TOKEN,
      accessTokens: [ACCESS_TOKEN],
      numbers: [],
      port: 0,
      controlPort: null,
      media: realMedia({ onAudio: (callId, packet) => calls.get(callId)?.receive(packet) }),
    });
    return new Meta(simulator, calls, () => createDecoder({ channels: 1, sampleRate: SAMPLE_RATE }));
  }

  /** The settings of the service with which it reaches this simulator, and accepts its webhooks. */
  get env(): Record<string, string> {
    return {
      CLARION_GRAPH_URL: this.simulator.url,
      CLARION_WHATSAPP_APP_SECRET: APP_SECRET,
      CLARION_WHATSAPP_VERIFY_TOKEN: VERIFY_TOKEN,
    };
  }

  /** A new business number. @returns its phone number ID */
  addNumber(): string {
    const phoneNumberId = String(436_666_719_500_000 + this.#numbers);
    this.#numbers += 1;
    this.simulator.control.addNumber({ phoneNumberId });
    return phoneNumberId;
  }

  addCustomer({
    hidesNumber = false,
    behaviour = {},
  }: { hidesNumber?: boolean; behaviour?: Partial<Behaviour> } = {}): WhatsAppCustomer {
    const waId = String(44_7700_900_000 + this.#customers);
    this.#customers += 1;
    const { userId } = this.simulator.control.addCustomer({ waId, hidesNumber, behaviour });
    return new WhatsAppCustomer(this, waId, userId);
  }

  /** @internal */
  async open(view: CallView): Promise<WhatsAppCall> {
    const audio = new WhatsAppAudio(this.simulator, view.id, await this.#decoder());
    this.#calls.set(view.id, audio);
    return new WhatsAppCall(this.simulator, view, audio);
  }

  close(): Promise<void> {
    for (const audio of this.#calls.values()) audio.free();
    return this.simulator.close();
  }
}

type OpusDecoderFactory = () => Promise<OpusDecoderHandle>;

export class WhatsAppCustomer {
  readonly #meta: Meta;
  /** Digits with the country code. */
  readonly waId: string;
  /** By which a business knows a customer who hides the number. */
  readonly userId: string;

  constructor(meta: Meta, waId: string, userId: string) {
    this.#meta = meta;
    this.waId = waId;
    this.userId = userId;
  }

  /** Calls this business number. */
  async call(phoneNumberId: string): Promise<WhatsAppCall> {
    const { control } = this.#meta.simulator;
    return this.#meta.open(await control.placeCall(this.waId, phoneNumberId));
  }

  /** Resolves with the next call of this business number to the customer. */
  async nextCall(phoneNumberId: string, timeoutMs = WAIT_MS): Promise<WhatsAppCall> {
    const { journal } = this.#meta.simulator.control;
    const after = journal.entries.at(-1)?.seq ?? 0;
    const isIt = (entry: JournalEntry): entry is Extract<JournalEntry, { type: 'call' }> =>
      entry.type === 'call' &&
      entry.seq > after &&
      entry.call.direction === 'BUSINESS_INITIATED' &&
      entry.call.customer === this.waId &&
      entry.call.phoneNumberId === phoneNumberId;
    return this.#meta.open((await journal.when(isIt, timeoutMs)).call);
  }

  /** Allows the business to call, for a limited time. */
  allow(phoneNumberId: string): void {
    this.#meta.simulator.control.decidePermission(this.waId, 'accept', phoneNumberId);
  }

  change(behaviour: Partial<Behaviour>): void {
    this.#meta.simulator.control.changeCustomer(this.waId, { behaviour });
  }
}

/** What the customer says and hears. */
class WhatsAppAudio extends RtpStream {
  readonly #meta: MetaSimulator;
  readonly #callId: string;
  readonly #decoder: OpusDecoderHandle;
  #free = false;

  constructor(meta: MetaSimulator, callId: string, decoder: OpusDecoderHandle) {
    super(LAW);
    this.#meta = meta;
    this.#callId = callId;
    this.#decoder = decoder;
  }

  override sendTone(hz: number): void {
    this.#meta.control.play(this.#callId, { kind: 'tone', hz });
  }

  override silence(): void {
    this.#meta.control.play(this.#callId, { kind: 'silence' });
  }

  receive({ payload, sequence, timestamp, ssrc }: RtpPacket): void {
    if (this.#free) return;
    const samples = this.#decoder.decode(payload);
    const heard = {
      at: performance.now(),
      payloadType: payloadTypes[LAW],
      sequence,
      timestamp: Math.round(timestamp / (OPUS_RATE / SAMPLE_RATE)),
      ssrc,
      payload: encode(LAW, samples),
      source: 'whatsapp',
    };
    if (this.keep) this.heard.push(heard);
    this.onPacket?.(heard);
  }

  free(): void {
    this.#free = true;
    this.#decoder.free();
  }

  /** Customers speak through the simulator, which has its own encoder. */
  protected override transmit(): boolean {
    return false;
  }
}

export class WhatsAppCall implements FarCall {
  readonly id: string;
  readonly audio: WhatsAppAudio;
  readonly #meta: MetaSimulator;

  constructor(meta: MetaSimulator, view: CallView, audio: WhatsAppAudio) {
    this.#meta = meta;
    this.id = view.id;
    this.audio = audio;
  }

  get view(): CallView {
    return this.#meta.control.call(this.id);
  }

  get log(): readonly string[] {
    const { state, endedBy, errorCode, violations } = this.view;
    return [state, `ended by ${endedBy}`, `error ${errorCode}`, ...violations];
  }

  /** A customer's phone rings back from the start, so this waits until the business has responded to the call. */
  async rings(timeoutMs = WAIT_MS): Promise<void> {
    await this.#until(['pre_accepted', 'ringing', 'accepted'], timeoutMs);
  }

  async answered(timeoutMs = WAIT_MS): Promise<void> {
    await this.#until(['accepted'], timeoutMs);
  }

  /** The customer answers a call of the business. */
  answer(): void {
    this.#meta.control.answer(this.id);
  }

  decline(): void {
    this.#meta.control.decline(this.id);
  }

  async hangUp(): Promise<void> {
    if (this.view.state !== 'ended') this.#meta.control.hangUp(this.id);
  }

  press(keys: string): Promise<void> {
    return this.#meta.control.sendDigits(this.id, keys);
  }

  async ended(timeoutMs = WAIT_MS): Promise<CallEnd> {
    await this.#until(['ended'], timeoutMs);
    return { how: howOf(this.view), status: null, reason: null, q850: null };
  }

  /** Asserts that the business did nothing that Meta would not accept. */
  assertProtocol(): void {
    assert.deepEqual(this.view.violations, []);
    assert.equal(this.view.media.earlyPackets, 0, 'audio before the call was accepted');
  }

  async #until(states: readonly CallView['state'][], timeoutMs: number): Promise<void> {
    const { journal } = this.#meta.control;
    const isOver = () => ['ended', ...states].includes(this.view.state);
    if (!isOver())
      await journal.when(
        (entry) => entry.type === 'call' && entry.call.id === this.id && isOver(),
        timeoutMs,
      );
    if (!states.includes(this.view.state))
      throw new Error(`the call ended instead of reaching ${states.join(' or ')}: ${this.log.join(', ')}`);
  }
}

/** The end in the terms of a phone call. */
function howOf({ endedBy, acceptedAt }: CallView): CallEnd['how'] {
  if (endedBy === 'customer') return acceptedAt === null ? 'cancelled' : 'bye-sent';
  if (endedBy === 'business') return acceptedAt === null ? 'refused' : 'bye-received';
  return 'unanswered';
}
