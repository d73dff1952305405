/** One call of the test phone: its dialog (RFC 3261, section 12), its audio, and the messages of the remote side in order of arrival. */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Law } from '../rtp/g711.ts';
import type { RtpPort } from '../rtp/port.ts';
import { newSrtpKey, SrtpStream, type SrtpKey, type SrtpSuite } from '../rtp/srtp.ts';
import {
  header,
  headerValues,
  parameter,
  uriOf,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from './message.ts';
import { phoneSdp, readSdp, type RemoteAudio } from './sdp.ts';

export const token = () => randomBytes(8).toString('hex');

export type CallEnd = {
  /** by them, by us: BYE or CANCEL from the remote side or this phone. refused: a final response of 300 or more. unanswered: no final response. */
  how: 'bye-received' | 'cancel-received' | 'bye-sent' | 'cancelled' | 'refused' | 'unanswered';
  status: number | null;
  reason: string | null;
  /** Cause of a `Reason: Q.850` header. */
  q850: number | null;
};
export type CallState = 'calling' | 'ringing' | 'answered' | 'ended';

/** What a call needs from its phone. */
export interface Line {
  /** Sends a request of this dialog and resolves with its final response. */
  request(call: SipCall, method: string, options?: RequestOptions): Promise<SipResponse>;
  cancel(call: SipCall): void;
  respond(request: SipRequest, status: number, reason: string, options?: ResponseOptions): void;
}
export interface RequestOptions {
  headers?: [string, string][];
  body?: string;
  contentType?: string;
}
export interface ResponseOptions {
  toTag?: string;
  headers?: [string, string][];
  sdp?: string;
}

const WAIT_MS = 10_000;

export class SipCall extends EventEmitter {
  state: CallState = 'calling';
  /** Status codes of the responses to this phone's INVITE, or methods of the remote side's requests. */
  readonly log: (number | string)[] = [];
  /** Every received request of this call and every response to its INVITE, in order of arrival. */
  readonly received: SipMessage[] = [];
  /** Called first for each remote request; returns true if it has handled the request. */
  onRequest: ((request: SipRequest) => boolean) | null = null;
  /** The body of the ACK for a 2xx; null: no ACK is sent. */
  acknowledging: ((answer: SipResponse) => RequestOptions | null) | null = null;
  end: CallEnd | null = null;
  remoteAudio: RemoteAudio | null = null;
  /** The last SDP received, verbatim. */
  remoteSdp = '';
  localTag = token();
  remoteTag = '';
  cseq = 1;
  remoteTarget = '';
  routes: string[] = [];
  /** ms of performance.now. */
  readonly times: {
    invite: number;
    provisional?: number;
    ringing?: number;
    answered?: number;
    ended?: number;
  } = {
    invite: performance.now(),
  };
  readonly role: 'caller' | 'callee';
  readonly id: string;
  readonly local: string;
  readonly remote: string;
  readonly laws: readonly Law[];
  readonly g722: boolean;
  /** This phone's key, if its audio is encrypted; a test may replace it before a re-INVITE. */
  key: SrtpKey | null;
  /** The tag of the remote side's key. */
  #tag = 1;
  #remoteKey: SrtpKey | null = null;
  /** The key with which the audio is sent. */
  #sendingKey: SrtpKey | null = null;
  /** Its RTP port; replaced when the audio moves. */
  audio: RtpPort;
  /** The INVITE that created it. */
  invite: SipRequest;
  readonly #line: Line;

  constructor(
    line: Line,
    options: {
      role: 'caller' | 'callee';
      id: string;
      local: string;
      remote: string;
      laws: readonly Law[];
      /** Offers and accepts G.722. */
      g722?: boolean;
      /** Encrypts the audio with this suite. */
      srtp?: SrtpSuite | null;
      audio: RtpPort;
      invite: SipRequest;
    },
  ) {
    super();
    this.setMaxListeners(50);
    this.#line = line;
    this.role = options.role;
    this.id = options.id;
    this.local = options.local;
    this.remote = options.remote;
    this.laws = options.laws;
    this.g722 = options.g722 ?? false;
    this.key = options.srtp ? newSrtpKey(options.srtp) : null;
    this.audio = options.audio;
    this.invite = options.invite;
  }

  /** User part of the called number, or the whole request URI. */
  get called(): string {
    return /^sips?:([^@;>]+)@/.exec(this.invite.uri)?.[1] ?? this.invite.uri;
  }
  /** User part of From. */
  get caller(): string {
    return /sips?:([^@;>]+)@/.exec(header(this.invite, 'from'))?.[1] ?? '';
  }

  sdp(direction?: string): string {
    const crypto = this.key ? { crypto: [{ tag: this.#tag, key: this.key }] } : {};
    return phoneSdp(this.audio, this.laws, direction, { g722: this.g722, ...crypto });
  }

  /** Resolves once the remote side rings (180 or 183). */
  async rings(timeoutMs = WAIT_MS): Promise<this> {
    await this.until(() => this.state !== 'calling', 'ringing', timeoutMs);
    if (this.state === 'ended')
      throw new Error(`the call ended instead of ringing: ${describeEnd(this.end)}`);
    return this;
  }

  /** Resolves once the call is answered; rejects if it ends first. */
  async answered(timeoutMs = WAIT_MS): Promise<this> {
    await this.until(() => this.state === 'answered' || this.state === 'ended', 'an answer', timeoutMs);
    if (this.state === 'ended')
      throw new Error(`the call ended instead of being answered: ${describeEnd(this.end)}`);
    return this;
  }

  async ended(timeoutMs = WAIT_MS): Promise<CallEnd> {
    await this.until(() => this.state === 'ended', 'the end', timeoutMs);
    return this.end as CallEnd;
  }

  /** Sends BYE if answered, CANCEL if still ringing. Resolves when the remote side has confirmed. */
  async hangUp(): Promise<void> {
    if (this.state === 'ended') return;
    if (this.state === 'answered') {
      this.finish({ how: 'bye-sent', status: null, reason: null, q850: null });
      await this.#line.request(this, 'BYE');
    } else if (this.role === 'caller') {
      this.#line.cancel(this);
      await this.ended();
    } else {
      this.#line.respond(this.invite, 486, 'Busy Here', { toTag: this.localTag });
      this.finish({ how: 'refused', status: 486, reason: 'Busy Here', q850: null });
    }
  }

  /** Sends CANCEL for the INVITE of this call, even if it is too late. */
  cancelInvite(): void {
    this.#line.cancel(this);
  }

  /** Sends a re-INVITE with a new direction (`sendonly` puts the remote side on hold) or another port. Resolves with the response. */
  async reinvite(direction = 'sendrecv', sdp = this.sdp(direction)): Promise<SipResponse> {
    return await this.#line.request(this, 'INVITE', { body: sdp, contentType: 'application/sdp' });
  }

  async sendInfo(body: string, contentType = 'application/dtmf-relay'): Promise<SipResponse> {
    return await this.#line.request(this, 'INFO', { body, contentType });
  }

  async options(): Promise<SipResponse> {
    return await this.#line.request(this, 'OPTIONS');
  }

  /** Sends any request within the dialog. Resolves with its final response. */
  async request(method: string, options: RequestOptions = {}): Promise<SipResponse> {
    return await this.#line.request(this, method, options);
  }

  respond(request: SipRequest, status: number, reason: string, options: ResponseOptions = {}): void {
    this.#line.respond(request, status, reason, { toTag: this.localTag, ...options });
  }

  /** Sends a provisional response to the INVITE. */
  progress(status: number, reason: string, options: ResponseOptions = {}): void {
    this.respond(this.invite, status, reason, options);
    if (this.state === 'calling') this.markRinging();
  }

  /** Sends 200 to the INVITE. */
  answerWith(sdp: string, options: ResponseOptions = {}): void {
    this.respond(this.invite, 200, 'OK', { ...(sdp === '' ? {} : { sdp }), ...options });
    this.markAnswered();
  }

  // ---- called by the phone

  took(message: SipMessage): void {
    this.received.push(message);
    this.emit('message', message);
    this.emit('change');
  }

  note(what: string): void {
    this.log.push(what);
    this.emit('change');
  }

  takeProvisional(response: SipResponse): void {
    this.log.push(response.status);
    this.times.provisional ??= performance.now();
    if (response.status >= 180 && this.state === 'calling') {
      this.times.ringing = performance.now();
      this.state = 'ringing';
    }
    this.takeSdp(response.body);
    this.emit('change');
  }

  takeAnswer(response: SipResponse): void {
    this.log.push(response.status);
    this.remoteTag = parameter(header(response, 'to'), 'tag') ?? '';
    this.remoteTarget = uriOf(header(response, 'contact'));
    this.routes = headerValues(response, 'record-route').toReversed();
    this.takeSdp(response.body);
    this.markAnswered();
  }

  markAnswered(): void {
    if (this.state === 'ended') return;
    this.times.answered = performance.now();
    this.state = 'answered';
    this.emit('change');
  }

  /** Ends an incoming call with a final response other than 2xx. */
  refuse(status: number, reason: string, q850: number | null = null): void {
    if (this.state === 'ended' || this.state === 'answered') return;
    const headers: [string, string][] = q850 === null ? [] : [['Reason', `Q.850;cause=${q850}`]];
    this.#line.respond(this.invite, status, reason, { toTag: this.localTag, headers });
    this.finish({ how: 'refused', status, reason, q850 });
  }

  markRinging(): void {
    this.state = 'ringing';
    this.emit('change');
  }

  takeSdp(body: string): void {
    if (body !== '') this.remoteSdp = body;
    const audio = readSdp(body, this.laws, { g722: this.g722 });
    if (!audio) return;
    this.remoteAudio = audio;
    this.audio.remote = { address: audio.address, port: audio.port };
    this.audio.law = audio.law;
    this.audio.wideband = audio.g722;
    if (audio.crypto) this.#takeKey(audio.crypto);
  }

  /** A new remote key starts a new stream in both directions. */
  #takeKey({ tag, key }: NonNullable<RemoteAudio['crypto']>): void {
    this.#tag = tag;
    if (this.key && this.key.suite !== key.suite) this.key = newSrtpKey(key.suite);
    if (!this.#remoteKey?.keyAndSalt.equals(key.keyAndSalt)) {
      this.#remoteKey = key;
      this.audio.unprotect = new SrtpStream(key);
    }
    if (this.key && this.#sendingKey !== this.key) {
      this.#sendingKey = this.key;
      this.audio.protect = new SrtpStream(this.key);
    }
  }

  finish(end: CallEnd): void {
    if (this.state === 'ended') return;
    this.end = end;
    this.state = 'ended';
    this.times.ended = performance.now();
    this.audio.silence();
    this.emit('change');
  }

  /** Re-evaluates the condition at each message and change of state. */
  async until(done: () => boolean, what: string, timeoutMs = WAIT_MS): Promise<void> {
    if (done()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.off('change', check);
        reject(
          new Error(
            `no ${what} within ${timeoutMs} ms (${this.state}, ${this.log.join(' ') || 'no messages'})`,
          ),
        );
      }, timeoutMs);
      const check = () => {
        if (!done()) return;
        clearTimeout(timer);
        this.off('change', check);
        resolve();
      };
      this.on('change', check);
    });
  }
}

export function describeEnd(end: CallEnd | null): string {
  if (!end) return 'not ended';
  return [end.how, end.status, end.reason, end.q850 === null ? null : `Q.850 ${end.q850}`]
    .filter((part) => part !== null)
    .join(' ');
}

/** Cause of `Reason: Q.850;cause=…` (RFC 3326). */
export function q850Of(message: SipRequest | SipResponse): number | null {
  const cause = headerValues(message, 'reason')
    .filter((value) => /^q\.850/i.test(value))
    .map((value) => parameter(value, 'cause'))[0];
  return cause === undefined ? null : Number(cause);
}
