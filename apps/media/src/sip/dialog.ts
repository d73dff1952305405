/**
 * An established SIP dialog of a carrier leg: BYE in both directions, DTMF in INFO, new session descriptions, and
 * probing of the remote party.
 */
import type { Logger } from 'pino';
import { SdpError, type CarrierSdp } from '../sdp/carrier.ts';
import { sdpWithHostName, UnresolvedHost, resolveHostName } from '../sdp/resolve.ts';
import type { Agreement } from './agreement.ts';
import { ALLOW, sessionTimerAnswer } from './capabilities.ts';
import { endDialog, requestInDialog, type DialogSender } from './dialog-requests.ts';
import { infoDigit } from './headers.ts';
import { OfferAnswer, type AckAnswer, type OfferAnswerStart, type SdpReply } from './offer-answer.ts';
import { Probe } from './probe.ts';
import type { SendOptions, SipDialog, SipMessage, SipRequest, SipResponse } from './srf.ts';

/** RFC 3261 §13.3.1.4: 64 × T1, with some margin. The SIP server ends such a dialog too, but we do not rely on it. */
export const ACK_TIMEOUT_MS = 34_000;
/** RFC 3261 §14.2: 0 to 10 s. */
const RETRY_AFTER_SECONDS = '5';
/**
 * Rejected with 405: no transfers, messages or events inside a call (RFC 3261 §8.2.1). drachtio-srf rejects SUBSCRIBE
 * with 489.
 */
const REJECTED_METHODS = ['refer', 'message', 'publish', 'notify'] as const;

export interface DialogHandlers extends OfferAnswerStart, DialogSender {
  probeIntervalMs: number;
  log: Logger;
  /** The remote party hung up, or the SIP server ended the dialog (see `reason`). */
  onBye: (bye: SipMessage, reason: string) => void;
  onDigit: (digit: string) => void;
  /** A new session description of the remote party was accepted. */
  onDescription: (agreed: Agreement) => void;
  /** An ACK to our 200, with the SDP answer if it had to contain one. */
  onAck?: (answer: AckAnswer | null) => void;
  /** The remote party is gone without a BYE. */
  onGone: (message: string) => void;
}

export class CallDialog {
  readonly #dialog: SipDialog;
  readonly #handlers: DialogHandlers;
  readonly #session: OfferAnswer;
  readonly #probe: Probe;
  #ackTimer: NodeJS.Timeout | null = null;
  /** Whether an offer is waiting for the address of its host name. */
  #resolving = false;
  #stopped = false;

  constructor(dialog: SipDialog, handlers: DialogHandlers) {
    this.#dialog = dialog;
    this.#handlers = handlers;
    this.#session = new OfferAnswer(handlers);
    this.#probe = new Probe({
      sendOptions: () =>
        this.request({ method: 'OPTIONS', headers: { Accept: 'application/sdp', Allow: ALLOW } }),
      intervalMs: handlers.probeIntervalMs,
      // Without audio in both directions, the loss of the remote party would not be noticed.
      isNeeded: () => (this.#session.agreed?.remote.direction ?? 'sendrecv') !== 'sendrecv',
      onGone: (message) => handlers.onGone(message),
    });
    this.#listen();
  }

  /** Stops all timers of the dialog. */
  stop(): void {
    this.#stopped = true;
    this.#acknowledged();
    this.#probe.stop();
  }

  /**
   * Sends a request in the dialog. Resolves with the final response of any status; rejects if the SIP server does not
   * send the request. drachtio-srf delivers an UPDATE to an open request of ours in the call, if there is one, instead
   * of to its dialog.
   */
  request(request: SendOptions & { method: string }): Promise<SipResponse> {
    return requestInDialog(this.#handlers, this.#dialog, request, (sent) => {
      sent.on('update', (req, res) => this.#updated(req, res));
    });
  }

  #listen(): void {
    const dialog = this.#dialog;
    dialog.on('destroy', (bye, reason) => this.#handlers.onBye(bye, reason));
    dialog.on('info', (req, res) => {
      const digit = infoDigit(req.get('Content-Type'), req.body);
      res.send(200);
      if (digit) this.#handlers.onDigit(digit);
    });
    dialog.on('modify', (req, res) => this.#reinvited(req, res));
    dialog.on('update', (req, res) => this.#updated(req, res));
    dialog.on('ack', (ack) => this.#acked(ack));
    dialog.on('options', (_req, res) => {
      res.send(200, { headers: { Accept: 'application/sdp', Allow: ALLOW } });
    });
    for (const method of REJECTED_METHODS) {
      dialog.on(method, (_req, res) => res.send(405, { headers: { Allow: ALLOW } }));
    }
  }

  #reinvited(req: SipRequest, res: SipResponse): void {
    this.#withResolvedHost(req, res, (address) => {
      const reply = this.#session.receiveInvite(cseqOf(req), req.body ?? '');
      this.#reply(res, reply, address, {});
      if (reply.status !== 200) return;
      this.#acknowledged();
      this.#ackTimer = setTimeout(() => {
        endDialog(this.#dialog, this.#handlers);
        this.#handlers.onGone('the remote party did not acknowledge the answer to its re-INVITE');
      }, ACK_TIMEOUT_MS);
    });
  }

  #updated(req: SipRequest, res: SipResponse): void {
    this.#withResolvedHost(req, res, (address) => {
      const reply = this.#session.receiveUpdate(req.body ?? '');
      this.#reply(res, reply, address, sessionTimerAnswer(req.get('Session-Expires')));
    });
  }

  /**
   * Responds immediately, or once the host name in the offer is resolved. An offer whose address cannot be used is
   * rejected and changes nothing (RFC 3261 §14.2).
   */
  #withResolvedHost(req: SipRequest, res: SipResponse, answer: (address: string | null) => void): void {
    const body = req.body ?? '';
    if (this.#resolving && (body !== '' || req.method === 'INVITE')) {
      // RFC 3261 §14.2, RFC 3311 §5.2: one offer at a time.
      res.send(500, { headers: { 'Retry-After': RETRY_AFTER_SECONDS } });
      return;
    }
    const named = sdpWithHostName(body, this.#handlers.terms.srtp);
    if (named) void this.#resolve(named, req, res, answer);
    else answer(null);
  }

  async #resolve(
    named: CarrierSdp,
    req: SipRequest,
    res: SipResponse,
    answer: (address: string) => void,
  ): Promise<void> {
    let cancelled = false;
    req.on('cancel', () => (cancelled = true));
    this.#resolving = true;
    try {
      const { address } = await resolveHostName(named, this.#handlers.local.address);
      // The SIP server has already responded to a cancelled request.
      if (cancelled) return;
      if (this.#stopped) res.send(487);
      else answer(address);
    } catch (error) {
      if (cancelled) return;
      if (error instanceof UnresolvedHost || error instanceof SdpError) {
        res.send(error.status, error.message);
        return;
      }
      this.#handlers.log.error({ err: error }, 'failed to answer an offer');
      if (!res.finalResponseSent) res.send(500);
    } finally {
      this.#resolving = false;
    }
  }

  /** @param address of the host name in the offer, if it has one */
  #reply(res: SipResponse, reply: SdpReply, address: string | null, more: Record<string, string>): void {
    if (reply.status !== 200) {
      res.send(reply.status, reply.reason);
      return;
    }
    const { agreed, body } = reply;
    // Before sending the answer, so that we are ready for what the remote party sends in response.
    if (agreed) {
      const { remote } = agreed;
      this.#handlers.onDescription(address === null ? agreed : { ...agreed, remote: { ...remote, address } });
    }
    const headers = { Contact: this.#dialog.local.contact, Allow: ALLOW, ...more };
    if (body === '') {
      res.send(200, { headers });
      return;
    }
    this.#dialog.local.sdp = body;
    res.send(200, { headers: { ...headers, 'Content-Type': 'application/sdp' }, body });
  }

  #acked(ack: SipMessage): void {
    this.#acknowledged();
    const answer = this.#session.receiveAck(cseqOf(ack), ack.body ?? '');
    if (answer && 'agreed' in answer) this.#handlers.onDescription(answer.agreed);
    this.#handlers.onAck?.(answer);
  }

  #acknowledged(): void {
    if (this.#ackTimer) clearTimeout(this.#ackTimer);
    this.#ackTimer = null;
  }
}

export const cseqOf = (message: SipMessage): number => Number.parseInt(message.get('CSeq') ?? '', 10);

/**
 * Sends a digit by INFO (`application/dtmf-relay`), for remote parties that do not support telephone events. Throws if
 * it is rejected.
 */
export async function sendDtmfInfo(
  dialog: CallDialog | null,
  digit: string,
  durationMs: number,
): Promise<void> {
  if (!dialog) throw new Error('there is no dialog for sending INFO');
  const { status, reason } = await dialog.request({
    method: 'INFO',
    headers: { 'Content-Type': 'application/dtmf-relay' },
    body: `Signal=${digit}\r\nDuration=${durationMs}\r\n`,
  });
  if (status >= 300) throw new Error(`the remote party responded to DTMF by INFO with ${status} ${reason}`);
}
