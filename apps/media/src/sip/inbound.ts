/**
 * A call from a carrier, from INVITE to BYE. The INVITE is answered 180 and kept until realtime says `carrier:answer` or
 * `carrier:reject`; the caller may give up any time before.
 */
import type { LegEnd } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import type { Law } from '../rtp/g711.ts';
import {
  carrierAnswer,
  carrierOffer,
  parseCarrierSdp,
  SdpError,
  type CarrierSdp,
  type LocalMedia,
} from '../sdp/carrier.ts';
import { agreedLaws, endDialog, sendKeyInfo, wireDialog } from './dialog.ts';
import { localEnd, remoteEnd } from './leg-end.ts';
import type { Hangup, Signalling } from './signalling.ts';
import {
  dialogOf,
  knownStatus,
  type SipDialog,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  type SrfClient,
} from './srf.ts';

/** RFC 3261 §13.3.1.1: a provisional answer is repeated every minute, or proxies give up. */
const PROVISIONAL_REPEAT_MS = 60_000;
/** RFC 3261 §13.3.1.4: 64 × T1. The SIP server does this too; we do not rely on it. */
const ACK_TIMEOUT_MS = 34_000;
/** A refusal realtime does not name: nobody is there to take the call. */
const DEFAULT_REFUSAL = 480;

export interface InboundOptions {
  srf: SrfClient;
  req: SipRequest;
  res: SipResponse;
  /** Null when the INVITE had no offer: then ours is in the 200 and their answer in the ACK (RFC 3261 §13.2.1). */
  remote: CarrierSdp | null;
  laws: readonly { law: Law; payloadType: number }[];
  allowedLaws: readonly Law[];
  local: LocalMedia;
  log: Logger;
  onAnswered: () => void;
  onConfirmed: () => void;
  onDigit: (digit: string) => void;
  onDescription: (remote: CarrierSdp, laws: { law: Law; payloadType: number }[]) => void;
  /** Exactly once. */
  onEnd: (end: LegEnd) => void;
}

export class InboundCall implements Signalling {
  readonly sipCallId: string | null;
  readonly #options: InboundOptions;
  #state: 'ringing' | 'answering' | 'answered' | 'ended' = 'ringing';
  #dialog: SipDialog | null = null;
  #repeat: NodeJS.Timeout | null = null;
  #ackTimer: NodeJS.Timeout | null = null;

  constructor(options: InboundOptions) {
    this.#options = options;
    this.sipCallId = options.req.get('Call-ID') ?? null;
    options.req.on('cancel', (cancel) => this.cancelled(cancel));
  }

  get dialogId(): string | null {
    return this.#dialog?.id ?? null;
  }

  get isRinging(): boolean {
    return this.#state === 'ringing';
  }

  /** The caller gave up; the SIP server has answered the CANCEL and the INVITE. */
  cancelled(cancel: SipMessage): void {
    this.#end(remoteEnd('remote-cancel', cancel, 'the caller gave up'));
  }

  ring(): void {
    this.#options.res.send(180);
    this.#repeat = setInterval(() => this.#options.res.send(180), PROVISIONAL_REPEAT_MS);
  }

  /** 200 with our SDP. Resolves when it has been sent; repeated calls do nothing. Throws when the SIP server refuses. */
  async answer(): Promise<void> {
    if (this.#state !== 'ringing') return;
    this.#state = 'answering';
    this.#stopRinging();
    const { srf, req, res, local, remote, laws, allowedLaws } = this.#options;
    try {
      const localSdp = remote ? carrierAnswer(local, remote, laws) : carrierOffer(local, allowedLaws);
      await dialogOf(
        (done) => srf.createUAS(req, res, { localSdp }, done),
        (dialog) => this.#established(dialog),
      );
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#end(localEnd('media-error', `the call could not be answered: ${message}`));
      throw error;
    }
  }

  #established(dialog: SipDialog): void {
    this.#dialog = dialog;
    if (this.#is('ended')) {
      endDialog(dialog);
      return;
    }
    this.#state = 'answered';
    this.#ackTimer = setTimeout(() => {
      endDialog(dialog);
      this.#end(localEnd('unreachable', 'the far end never acknowledged our answer'));
    }, ACK_TIMEOUT_MS);
    dialog.on('ack', (ack) => {
      if (!this.#ackTimer) return;
      clearTimeout(this.#ackTimer);
      this.#ackTimer = null;
      if (this.#state === 'answered') this.#confirmed(dialog, ack);
    });
    wireDialog(dialog, {
      local: this.#options.local,
      laws: this.#options.allowedLaws,
      onBye: (bye, reason) => this.#farEndHungUp(bye, reason),
      onDigit: this.#options.onDigit,
      onDescription: this.#options.onDescription,
    });
    this.#options.onAnswered();
  }

  /**
   * drachtio-srf tells an ACK one turn late, so that a BYE right behind it is told first: who hangs up has had our 200. Only the BYE that
   * the SIP server sends itself, after 32 s without an ACK, says the opposite.
   */
  #farEndHungUp(bye: SipMessage, reason: string): void {
    const unacknowledged = /ACK timeout/i.test(bye.get('Reason') ?? '');
    if (this.#ackTimer && !unacknowledged && this.#state === 'answered') this.#options.onConfirmed();
    this.#end(
      unacknowledged
        ? localEnd('unreachable', 'the far end never acknowledged our answer')
        : remoteEnd('remote-bye', bye, reason),
    );
  }

  #confirmed(dialog: SipDialog, ack: SipMessage): void {
    if (!this.#options.remote) {
      try {
        const remote = parseCarrierSdp(ack.body ?? '');
        this.#options.onDescription(remote, agreedLaws(remote, this.#options.allowedLaws));
      } catch (error) {
        endDialog(dialog);
        const message = error instanceof SdpError ? error.message : 'the answer in the ACK could not be used';
        this.#end(localEnd('media-error', message));
        return;
      }
    }
    this.#options.onConfirmed();
  }

  reject(status: number, reason?: string, end?: LegEnd): void {
    if (this.#state !== 'ringing') return;
    const sent = knownStatus(status);
    if (reason === undefined) this.#options.res.send(sent);
    else this.#options.res.send(sent, reason);
    this.#end(
      end ?? localEnd('local', `refused with ${status}`, { sipStatus: status, sipReason: reason ?? null }),
    );
  }

  hangup(how: Hangup = {}): void {
    if (this.#state === 'ringing') {
      this.reject(how.status ?? DEFAULT_REFUSAL, undefined, how.end);
      return;
    }
    if (this.#dialog && this.#state === 'answered') endDialog(this.#dialog);
    // While answering, `answer` finds the call ended and hangs up itself.
    this.#end(how.end ?? localEnd('local', 'we hung up'));
  }

  sendInfo(digit: string, durationMs: number): Promise<void> {
    return sendKeyInfo(this.#dialog, digit, durationMs);
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
    this.#options.onEnd(end);
  }
}
