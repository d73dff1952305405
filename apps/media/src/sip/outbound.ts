/**
 * An outbound call to a carrier, from INVITE to BYE. drachtio-srf has no ring timeout and may never settle after a
 * CANCEL, so both have a timer here. A 200 that arrives after that is acknowledged, and its dialog ended.
 */
import type { LegEnd } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import { SdpError, type LocalMedia } from '../sdp/carrier.ts';
import type { Agreement } from './agreement.ts';
import { ALLOW, sessionTimerAnswer } from './capabilities.ts';
import { CallDialog, cseqOf, sendDtmfInfo } from './dialog.ts';
import { endDialog, type DialogSender } from './dialog-requests.ts';
import { Dialling, type DialContext, type DialRoute, type OpenAttempt } from './dialling.ts';
import { MAX_EARLY_DIALOGS } from './early-dialogs.ts';
import { byeEnd, localEnd, type Cancelled } from './leg-end.ts';
import type { Hangup, Signalling } from './signalling.ts';
import type { SipDialog, SipMessage, SipRequest, SipResponse, SrfClient } from './srf.ts';

/** How long to wait for the final response after a CANCEL before the leg is ended. */
export const CANCEL_ANSWER_TIMEOUT_MS = 4_000;

export interface OutboundOptions {
  srf: SrfClient;
  dial: DialContext;
  /** The trunks to try, in order. */
  routes: readonly DialRoute[];
  /** One for all attempts. */
  ringTimeoutMs: number;
  local: LocalMedia;
  probeIntervalMs: number;
  log: Logger;
  /** Called for the first 180 or 183. */
  onRinging: (trunkId: number) => void;
  onDescription: (agreed: Agreement) => void;
  /** The source address of a response with a description; called before `onDescription`. */
  onAnswerFrom: (address: string) => void;
  onAnswered: (trunkId: number) => void;
  onDigit: (digit: string) => void;
  /** Called exactly once. */
  onEnd: (end: LegEnd) => void;
}

export class OutboundCall implements Signalling {
  readonly #options: OutboundOptions;
  readonly #dialling: Dialling;
  #state: 'dialling' | 'answered' | 'ended' = 'dialling';
  #request: SipRequest | null = null;
  #dialog: SipDialog | null = null;
  #sender: DialogSender | null = null;
  #callDialog: CallDialog | null = null;
  #cancelled: Cancelled | null = null;
  #provisional = false;
  /** Whether more forks than we track have sent SDP for early media. */
  #ignoresForks = false;
  #ringTimer: NodeJS.Timeout | null = null;
  #cancelTimer: NodeJS.Timeout | null = null;

  constructor(options: OutboundOptions) {
    this.#options = options;
    const { srf, dial, routes, local, log } = options;
    this.#dialling = new Dialling({
      srf,
      dial,
      routes,
      local,
      log,
      onSent: (attempt, req) => this.#sent(attempt, req),
      onProgress: (attempt, res) => this.#progress(attempt, res),
      onEstablished: (attempt, dialog) => this.#established(attempt, dialog),
    });
  }

  get sipCallId(): string | null {
    return this.#request?.get('Call-ID') ?? null;
  }

  get dialogId(): string | null {
    return this.#dialog?.id ?? null;
  }

  dial(): void {
    const { ringTimeoutMs, log } = this.#options;
    this.#ringTimer = setTimeout(
      () => this.#cancel({ cause: 'no-answer-local', message: `no answer within ${ringTimeoutMs} ms` }),
      ringTimeoutMs,
    );
    this.#dialling.run().then(
      (end) => {
        if (end) this.#end(end);
        else if (this.#cancelled) this.#endCancelled(this.#cancelled);
      },
      (error: unknown) => {
        log.error({ err: error }, 'failed to place an outbound call');
        this.#end(localEnd('media-error', 'the call could not be placed'));
      },
    );
  }

  hangup(how: Hangup = {}): void {
    if (this.#state === 'dialling') {
      this.#cancel({ cause: 'local', message: 'the call attempt was cancelled' });
      if (how.end) this.#end(how.end);
    } else if (this.#state === 'answered') {
      if (this.#dialog) endDialog(this.#dialog, this.#sender);
      this.#end(how.end ?? localEnd('local', 'hung up by the service', { provisional: this.#provisional }));
    }
  }

  sendInfo(digit: string, durationMs: number): Promise<void> {
    return sendDtmfInfo(this.#callDialog, digit, durationMs);
  }

  abandon(): void {
    this.#end(localEnd('media-error', 'the connection to the SIP server was lost'));
  }

  #established(attempt: OpenAttempt, dialog: SipDialog): void {
    this.#dialog = dialog;
    this.#sender = attempt.sender;
    if (this.#state !== 'dialling' || this.#cancelled) {
      endDialog(dialog, attempt.sender);
      if (this.#cancelled) this.#endCancelled(this.#cancelled);
      return;
    }
    this.#answered(attempt, dialog);
  }

  #answered({ route, terms, early, sender }: OpenAttempt, dialog: SipDialog): void {
    const { probeIntervalMs, log, onDigit, onDescription } = this.#options;
    try {
      const agreed = early.answered(remoteTag(dialog), remoteSdp(dialog));
      this.#stopTimers();
      this.#state = 'answered';
      this.#callDialog = new CallDialog(dialog, {
        ...sender,
        ...early.last(),
        terms,
        agreed,
        inviteCSeq: cseqOf(dialog.req),
        probeIntervalMs,
        log,
        onBye: (bye, reason) => this.#end(byeEnd(bye, reason)),
        onDigit,
        onDescription,
        onGone: (message) => {
          endDialog(dialog, sender);
          this.#end(localEnd('unreachable', message, { provisional: this.#provisional }));
        },
      });
      this.#options.onAnswerFrom(dialog.res.source_address);
      onDescription(agreed);
      this.#options.onAnswered(route.trunk.trunkId);
    } catch (error) {
      endDialog(dialog, sender);
      const message = error instanceof SdpError ? error.message : 'the SDP answer could not be used';
      if (!(error instanceof SdpError)) log.error({ err: error }, message);
      this.#end(
        localEnd('media-error', message, {
          sipStatus: 200,
          provisional: this.#provisional,
          reason: 'answer_unusable',
        }),
      );
    }
  }

  #sent(attempt: OpenAttempt, req: SipRequest): void {
    this.#request = req;
    this.#listenForUpdates(attempt, req);
  }

  #progress(attempt: OpenAttempt, res: SipResponse): void {
    if (this.#state !== 'dialling') return;
    const first = !this.#provisional;
    this.#provisional = true;
    if (res.body !== undefined && res.body !== '') this.#applyEarlyDescription(attempt, res, res.body);
    if (first) this.#options.onRinging(attempt.route.trunk.trunkId);
  }

  /** If the description cannot be used, the call may still be answered with one that can. */
  #applyEarlyDescription({ route, early: dialogs }: OpenAttempt, res: SipResponse, sdp: string): void {
    try {
      const early = dialogs.progress(toTagOf(res), sdp);
      if (early === 'too many') this.#ignoreFork();
      else if (early && early !== 'repeated' && !route.trunk.noEarlyMedia) {
        this.#options.onAnswerFrom(res.source_address);
        this.#options.onDescription(early);
      }
    } catch (error) {
      this.#options.log.info({ err: error }, 'the SDP of the early media cannot be used');
    }
  }

  #ignoreFork(): void {
    if (!this.#ignoresForks) {
      const { log } = this.#options;
      log.warn(
        { sipCallId: this.sipCallId, limit: MAX_EARLY_DIALOGS },
        'ignoring early media of further forks',
      );
    }
    this.#ignoresForks = true;
  }

  /**
   * An UPDATE before the answer. drachtio-srf would respond with our offer, but only after listeners that were added
   * earlier.
   */
  #listenForUpdates({ route, early }: OpenAttempt, req: SipRequest): void {
    req.on('update', (update, res) => {
      const reply = early.update(fromTagOf(update), update.body ?? '');
      if (reply.status !== 200) return res.send(reply.status, reply.reason);
      if (reply.agreed && !route.trunk.noEarlyMedia) this.#options.onDescription(reply.agreed);
      const contact = req.get('Contact');
      const headers = {
        Allow: ALLOW,
        ...(contact === undefined ? {} : { Contact: contact }),
        ...sessionTimerAnswer(update.get('Session-Expires')),
      };
      if (reply.body === '') res.send(200, { headers });
      else res.send(200, { headers: { ...headers, 'Content-Type': 'application/sdp' }, body: reply.body });
    });
  }

  #cancel(why: Cancelled): void {
    if (this.#state !== 'dialling' || this.#cancelled) return;
    this.#cancelled = why;
    if (this.#ringTimer) clearTimeout(this.#ringTimer);
    const isOpen = this.#dialling.isOpen;
    this.#dialling.stop();
    if (!isOpen) return this.#endCancelled(why);
    this.#cancelTimer = setTimeout(() => this.#endCancelled(why), CANCEL_ANSWER_TIMEOUT_MS);
  }

  #endCancelled({ cause, message }: Cancelled): void {
    this.#end(localEnd(cause, message, { provisional: this.#provisional }));
  }

  #stopTimers(): void {
    for (const timer of [this.#ringTimer, this.#cancelTimer]) if (timer) clearTimeout(timer);
    this.#ringTimer = null;
    this.#cancelTimer = null;
  }

  #end(end: LegEnd): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#dialling.abandon();
    this.#stopTimers();
    this.#callDialog?.stop();
    this.#options.onEnd(end);
  }
}

/** drachtio-srf stores the SDP of the answer on the dialog. */
function remoteSdp(dialog: SipDialog): string {
  const remote = (dialog as SipDialog & { remote?: { sdp?: string } }).remote;
  return remote?.sdp ?? '';
}

const remoteTag = (dialog: SipDialog): string => dialog.sip.remoteTag;
const tagOf = (header: string | undefined): string => /;\s*tag=([^;\s]+)/i.exec(header ?? '')?.[1] ?? '';
const toTagOf = (message: SipMessage): string => tagOf(message.get('To'));
const fromTagOf = (message: SipMessage): string => tagOf(message.get('From'));
