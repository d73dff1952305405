/**
 * An outbound call to a carrier, from INVITE to BYE. drachtio-srf has no ring timeout and may never settle after a
 * CANCEL, so both have a timer here. A 200 that arrives after that is acknowledged, and its dialog ended.
 */
import type { LegEnd, TrunkTarget } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import { SdpError, type LocalMedia } from '../sdp/carrier.ts';
import type { Agreement, MediaTerms } from './agreement.ts';
import { ALLOW, minSeSeconds, sessionTimerAnswer, sessionTimerOffer, SUPPORTED } from './capabilities.ts';
import { CallDialog, cseqOf, endDialog, sendDtmfInfo } from './dialog.ts';
import { EarlyDialogs, MAX_EARLY_DIALOGS } from './early-dialogs.ts';
import { displayName, escapeUser } from './headers.ts';
import { byeEnd, failedDial, localEnd } from './leg-end.ts';
import type { Hangup, Signalling } from './signalling.ts';
import {
  createDialog,
  type SipDialog,
  type SipMessage,
  type SipRejection,
  type SipRequest,
  type SipResponse,
  type SrfClient,
} from './srf.ts';

/** How long to wait for the final response after a CANCEL before the leg is ended. */
export const CANCEL_ANSWER_TIMEOUT_MS = 4_000;

export interface OutboundOptions {
  srf: SrfClient;
  trunk: TrunkTarget;
  called: string;
  caller: string;
  callerName: string | null;
  ringTimeoutMs: number;
  terms: MediaTerms;
  local: LocalMedia;
  probeIntervalMs: number;
  log: Logger;
  /** Called for the first 180 or 183. */
  onRinging: () => void;
  onDescription: (agreed: Agreement) => void;
  /** The source address of a response with a description; called before `onDescription`. */
  onAnswerFrom: (address: string) => void;
  onAnswered: () => void;
  onDigit: (digit: string) => void;
  /** Called exactly once. */
  onEnd: (end: LegEnd) => void;
}

export class OutboundCall implements Signalling {
  readonly #options: OutboundOptions;
  readonly #early: EarlyDialogs;
  #state: 'dialling' | 'answered' | 'ended' = 'dialling';
  #request: SipRequest | null = null;
  #dialog: SipDialog | null = null;
  #callDialog: CallDialog | null = null;
  #cancelled: { cause: 'local' | 'no-answer-local'; message: string } | null = null;
  #provisional = false;
  /** Whether more forks than we track have sent SDP for early media. */
  #ignoresForks = false;
  #ringTimer: NodeJS.Timeout | null = null;
  #cancelTimer: NodeJS.Timeout | null = null;

  constructor(options: OutboundOptions) {
    this.#options = options;
    this.#early = new EarlyDialogs(options.local, options.terms);
  }

  get sipCallId(): string | null {
    return this.#request?.get('Call-ID') ?? null;
  }

  get dialogId(): string | null {
    return this.#dialog?.id ?? null;
  }

  dial(): void {
    const { ringTimeoutMs } = this.#options;
    this.#ringTimer = setTimeout(
      () => this.#cancel({ cause: 'no-answer-local', message: `no answer within ${ringTimeoutMs} ms` }),
      ringTimeoutMs,
    );
    void this.#invite();
  }

  hangup(how: Hangup = {}): void {
    if (this.#state === 'dialling') {
      this.#cancel({ cause: 'local', message: 'the call attempt was cancelled' });
      if (how.end) this.#end(how.end);
    } else if (this.#state === 'answered') {
      if (this.#dialog) endDialog(this.#dialog);
      this.#end(how.end ?? localEnd('local', 'hung up by the service', { provisional: this.#provisional }));
    }
  }

  sendInfo(digit: string, durationMs: number): Promise<void> {
    return sendDtmfInfo(this.#callDialog, digit, durationMs);
  }

  abandon(): void {
    this.#end(localEnd('media-error', 'the connection to the SIP server was lost'));
  }

  /** @param again headers for a retry */
  async #invite(again: Record<string, string> = {}): Promise<void> {
    const { srf, trunk } = this.#options;
    const { uri, proxy } = target(trunk, this.#options.called);
    const options = {
      localSdp: this.#early.offer,
      headers: {
        ...identity(this.#options.caller, this.#options.callerName),
        Allow: ALLOW,
        Supported: SUPPORTED,
        ...sessionTimerOffer(),
        ...again,
      },
      ...(proxy === null ? {} : { proxy }),
      ...(trunk.username === null
        ? {}
        : { auth: { username: trunk.username, password: trunk.password ?? '' } }),
    };
    const progress = {
      cbRequest: (_error: Error | null, req?: SipRequest) => this.#sent(req),
      cbProvisional: (res: SipResponse) => this.#progress(res),
    };
    try {
      await createDialog(
        (done) => srf.createUAC(uri, options, progress, done),
        (dialog) => this.#established(dialog),
      );
    } catch (error) {
      const rejection = error as SipRejection;
      const longer = Object.keys(again).length > 0 || this.#cancelled ? null : longerSession(rejection);
      if (longer && this.#state === 'dialling') return await this.#invite(longer);
      this.#end(failedDial(rejection, this.#cancelled, this.#provisional));
    }
  }

  #established(dialog: SipDialog): void {
    this.#dialog = dialog;
    if (this.#state !== 'dialling' || this.#cancelled) {
      endDialog(dialog);
      if (this.#cancelled) this.#end(localEnd(this.#cancelled.cause, this.#cancelled.message));
      return;
    }
    this.#answered(dialog);
  }

  #answered(dialog: SipDialog): void {
    const { srf, terms, probeIntervalMs, log, onDigit, onDescription } = this.#options;
    try {
      const agreed = this.#early.answered(remoteTag(dialog), remoteSdp(dialog));
      this.#stopTimers();
      this.#state = 'answered';
      this.#callDialog = new CallDialog(dialog, {
        srf,
        ...this.#early.last(),
        terms,
        agreed,
        inviteCSeq: cseqOf(dialog.req),
        probeIntervalMs,
        log,
        onBye: (bye, reason) => this.#end(byeEnd(bye, reason)),
        onDigit,
        onDescription,
        onGone: (message) => {
          endDialog(dialog);
          this.#end(localEnd('unreachable', message, { provisional: this.#provisional }));
        },
      });
      this.#options.onAnswerFrom(dialog.res.source_address);
      onDescription(agreed);
      this.#options.onAnswered();
    } catch (error) {
      endDialog(dialog);
      const message = error instanceof SdpError ? error.message : 'the SDP answer could not be used';
      if (!(error instanceof SdpError)) log.error({ err: error }, message);
      this.#end(localEnd('media-error', message, { sipStatus: 200, provisional: this.#provisional }));
    }
  }

  #sent(req: SipRequest | undefined): void {
    if (!req) return;
    this.#request = req;
    this.#listenForUpdates(req);
    if (this.#cancelled || this.#state === 'ended') req.cancel(() => undefined);
  }

  #progress(res: SipResponse): void {
    if (res.status <= 100 || this.#state !== 'dialling') return;
    const first = !this.#provisional;
    this.#provisional = true;
    if (res.body !== undefined && res.body !== '') this.#applyEarlyDescription(res, res.body);
    if (first) this.#options.onRinging();
  }

  /** If the description cannot be used, the call may still be answered with one that can. */
  #applyEarlyDescription(res: SipResponse, sdp: string): void {
    try {
      const early = this.#early.progress(toTagOf(res), sdp);
      if (early === 'too many') this.#ignoreFork();
      else if (early && early !== 'repeated') {
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
  #listenForUpdates(req: SipRequest): void {
    req.on('authenticate', (again) => this.#listenForUpdates(again));
    req.on('update', (update, res) => {
      const reply = this.#early.update(fromTagOf(update), update.body ?? '');
      if (reply.status !== 200) return res.send(reply.status, reply.reason);
      if (reply.agreed) this.#options.onDescription(reply.agreed);
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

  #cancel(why: { cause: 'local' | 'no-answer-local'; message: string }): void {
    if (this.#state !== 'dialling' || this.#cancelled) return;
    this.#cancelled = why;
    if (this.#ringTimer) clearTimeout(this.#ringTimer);
    this.#request?.cancel(() => undefined);
    this.#cancelTimer = setTimeout(
      () => this.#end(localEnd(why.cause, why.message, { provisional: this.#provisional })),
      CANCEL_ANSWER_TIMEOUT_MS,
    );
  }

  #stopTimers(): void {
    for (const timer of [this.#ringTimer, this.#cancelTimer]) if (timer) clearTimeout(timer);
    this.#ringTimer = null;
    this.#cancelTimer = null;
  }

  #end(end: LegEnd): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
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

/**
 * Headers of another INVITE after a 422: the session interval that the remote party demands (RFC 4028 §7.3), with the
 * Call-ID and From of the rejected one and the next CSeq. Null for any other response.
 */
function longerSession({ status, res }: SipRejection): Record<string, string> | null {
  const minSe = minSeSeconds(res?.get('Min-SE'));
  if (status !== 422 || res === undefined || minSe === null) return null;
  return {
    ...sessionTimerOffer(minSe),
    From: res.get('From') ?? '',
    'Call-ID': res.get('Call-ID') ?? '',
    CSeq: `${cseqOf(res) + 1} INVITE`,
  };
}

function target(trunk: TrunkTarget, called: string): { uri: string; proxy: string | null } {
  const transport = trunk.transport === 'UDP' ? '' : `;transport=${trunk.transport.toLowerCase()}`;
  const hop = `${trunk.host}:${trunk.port}${transport}`;
  if (/^sips?:/i.test(called)) return { uri: called, proxy: `sip:${hop}` };
  return { uri: `sip:${escapeUser(called)}@${hop}`, proxy: null };
}

/**
 * `localhost` is replaced by the address of the SIP server (its own convention). RFC 3325 for the asserted identity.
 */
function identity(caller: string, callerName: string | null): Record<string, string> {
  const uri = `<sip:${escapeUser(caller)}@localhost>`;
  const name = callerName === null ? '' : displayName(callerName);
  const address = name === '' ? uri : `"${name}" ${uri}`;
  return { From: address, Contact: uri, 'P-Asserted-Identity': address };
}
