/**
 * An inbound call from a carrier, from INVITE to BYE. The INVITE gets 180 and stays pending until realtime sends
 * `carrier:answer` or `carrier:reject`; the caller may cancel it before that.
 */
import type { LegEnd } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import { carrierAnswer, carrierOffer, type LocalMedia } from '../sdp/carrier.ts';
import { offeredCodecs, type Agreement, type MediaTerms } from './agreement.ts';
import { ALLOW, SUPPORTED } from './capabilities.ts';
import { ACK_TIMEOUT_MS, CallDialog, cseqOf, sendDtmfInfo } from './dialog.ts';
import { endDialog } from './dialog-requests.ts';
import { byeEnd, isFromSipServer, localEnd, remoteEnd } from './leg-end.ts';
import type { AckAnswer } from './offer-answer.ts';
import type { Hangup, Signalling } from './signalling.ts';
import {
  createDialog,
  knownStatus,
  type SipDialog,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  type SrfClient,
} from './srf.ts';

/** RFC 3261 §13.3.1.1: a provisional response is repeated every minute, or proxies time out. */
const PROVISIONAL_REPEAT_MS = 60_000;
/** RFC 3311 §5.2: up to 10 s. An UPDATE may not overtake the answer to the INVITE's offer. */
const UPDATE_RETRY_AFTER_SECONDS = '5';
/** 480 Temporarily Unavailable, if realtime gives no status. */
const DEFAULT_REJECT_STATUS = 480;

export interface InboundOptions {
  srf: SrfClient;
  req: SipRequest;
  res: SipResponse;
  /** Null if the INVITE had no offer: then ours is in the 200 and the answer in the ACK (RFC 3261 §13.2.1). */
  agreed: Agreement | null;
  terms: MediaTerms;
  local: LocalMedia;
  probeIntervalMs: number;
  log: Logger;
  onAnswered: () => void;
  onConfirmed: () => void;
  onDigit: (digit: string) => void;
  onDescription: (agreed: Agreement) => void;
  /** Called exactly once. */
  onEnd: (end: LegEnd) => void;
}

export class InboundCall implements Signalling {
  readonly sipCallId: string | null;
  readonly #options: InboundOptions;
  #state: 'ringing' | 'answering' | 'answered' | 'ended' = 'ringing';
  #dialog: SipDialog | null = null;
  #callDialog: CallDialog | null = null;
  #repeat: NodeJS.Timeout | null = null;
  #ackTimer: NodeJS.Timeout | null = null;

  constructor(options: InboundOptions) {
    this.#options = options;
    this.sipCallId = options.req.get('Call-ID') ?? null;
    options.req.on('cancel', (cancel) => this.cancelled(cancel));
    options.req.on('update', (update, res) => answerEarlyUpdate(update, res));
  }

  get dialogId(): string | null {
    return this.#dialog?.id ?? null;
  }

  get isRinging(): boolean {
    return this.#state === 'ringing';
  }

  /** The caller cancelled; the SIP server has responded to the CANCEL and the INVITE. */
  cancelled(cancel: SipMessage): void {
    this.#end(remoteEnd('remote-cancel', cancel, 'the caller hung up'));
  }

  ring(): void {
    const { req, res } = this.#options;
    // A caller that requires 100rel accepts no unreliable 18x (RFC 3262 §3).
    const reliable = /\b100rel\b/i.test(req.get('Require') ?? '');
    const headers = { Allow: ALLOW, ...(reliable ? { Require: '100rel' } : {}) };
    res.send(180, { headers });
    this.#repeat = setInterval(() => res.send(180, { headers }), PROVISIONAL_REPEAT_MS);
  }

  /**
   * Sends 200 with our SDP. Resolves when it has been sent; repeated calls do nothing. Throws if the SIP server rejects
   * it.
   */
  async answer(): Promise<void> {
    if (this.#state !== 'ringing') return;
    this.#state = 'answering';
    this.#stopRinging();
    const { srf, req, res, local, agreed, terms } = this.#options;
    try {
      const localSdp = agreed
        ? carrierAnswer(local, agreed.remote, agreed)
        : carrierOffer(local, offeredCodecs(terms), terms.srtp === 'required');
      await createDialog(
        (done) =>
          srf.createUAS(req, res, { localSdp, headers: { Allow: ALLOW, Supported: SUPPORTED } }, done),
        (dialog) => this.#established(dialog, localSdp),
      );
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#end(localEnd('media-error', `failed to answer the call: ${message}`));
      throw error;
    }
  }

  #established(dialog: SipDialog, localSdp: string): void {
    this.#dialog = dialog;
    if (this.#is('ended')) {
      endDialog(dialog);
      return;
    }
    this.#state = 'answered';
    this.#ackTimer = setTimeout(() => {
      endDialog(dialog);
      this.#end(localEnd('unreachable', 'the remote party did not acknowledge the answer'));
    }, ACK_TIMEOUT_MS);
    const { srf, req, local, agreed, terms, probeIntervalMs, log } = this.#options;
    this.#callDialog = new CallDialog(dialog, {
      srf,
      digest: null,
      local,
      terms,
      description: localSdp,
      agreed,
      inviteCSeq: cseqOf(req),
      probeIntervalMs,
      log,
      onBye: (bye, reason) => this.#remoteHungUp(bye, reason),
      onDigit: this.#options.onDigit,
      onDescription: this.#options.onDescription,
      onAck: (answer) => this.#acked(dialog, answer),
      onGone: (message) => {
        endDialog(dialog);
        this.#end(localEnd('unreachable', message));
      },
    });
    this.#options.onAnswered();
  }

  /**
   * drachtio-srf emits an ACK one turn late, so that a BYE immediately after it comes first. A remote party that sends
   * BYE has received our 200. Only the BYE that the SIP server itself sends after 32 s without an ACK means the
   * opposite.
   */
  #remoteHungUp(bye: SipMessage, reason: string): void {
    const unacknowledged = isFromSipServer(bye, 'ACK timeout');
    if (this.#ackTimer && !unacknowledged && this.#state === 'answered') this.#options.onConfirmed();
    this.#end(byeEnd(bye, reason));
  }

  /** The first ACK confirms the call; if the INVITE had no offer, it must contain the answer to ours. */
  #acked(dialog: SipDialog, answer: AckAnswer | null): void {
    if (!this.#ackTimer) return;
    clearTimeout(this.#ackTimer);
    this.#ackTimer = null;
    if (this.#state !== 'answered') return;
    if (answer && 'unusable' in answer) {
      endDialog(dialog);
      this.#end(localEnd('media-error', answer.unusable));
      return;
    }
    this.#options.onConfirmed();
  }

  reject(status: number, reason?: string, end?: LegEnd): void {
    if (this.#state !== 'ringing') return;
    const sent = knownStatus(status);
    if (reason === undefined) this.#options.res.send(sent);
    else this.#options.res.send(sent, reason);
    this.#end(
      end ?? localEnd('local', `rejected with ${status}`, { sipStatus: status, sipReason: reason ?? null }),
    );
  }

  hangup(how: Hangup = {}): void {
    if (this.#state === 'ringing') {
      this.reject(how.status ?? DEFAULT_REJECT_STATUS, undefined, how.end);
      return;
    }
    if (this.#dialog && this.#state === 'answered') endDialog(this.#dialog);
    // In state `answering`, `answer` later finds the call ended and hangs up.
    this.#end(how.end ?? localEnd('local', 'hung up by the service'));
  }

  sendInfo(digit: string, durationMs: number): Promise<void> {
    return sendDtmfInfo(this.#callDialog, digit, durationMs);
  }

  abandon(): void {
    this.#end(localEnd('media-error', 'the connection to the SIP server was lost'));
  }

  #is(state: 'ended'): boolean {
    return this.#state === state;
  }

  #stopRinging(): void {
    if (this.#repeat) clearInterval(this.#repeat);
    this.#repeat = null;
  }

  #end(end: LegEnd): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#stopRinging();
    if (this.#ackTimer) clearTimeout(this.#ackTimer);
    this.#ackTimer = null;
    this.#callDialog?.stop();
    this.#options.onEnd(end);
  }
}

/**
 * Responds to an UPDATE while the INVITE is ringing (RFC 3311 §5.2). An offer in it must wait, because that of the
 * INVITE, or ours, is not answered yet. Without a body it only refreshes the target.
 */
function answerEarlyUpdate(update: SipMessage, res: SipResponse): void {
  if (!update.body) res.send(200, { headers: { Allow: ALLOW } });
  else res.send(500, { headers: { 'Retry-After': UPDATE_RETRY_AFTER_SECONDS } });
}
