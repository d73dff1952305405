/**
 * One hop of an outbound call: an INVITE, repeated after a challenge or a 422, until a dialog is established or the hop
 * has failed. drachtio-srf may never settle after a CANCEL, so the caller has a timer for that.
 */
import type { Hop } from '../dial/hops.ts';
import { ALLOW, minSeSeconds, sessionTimerOffer, SUPPORTED } from './capabilities.ts';
import { cseqOf } from './dialog.ts';
import { requestInDialog } from './dialog-requests.ts';
import { isChallenge, type DigestSession } from './digest.ts';
import {
  createDialog,
  type SipDialog,
  type SipRejection,
  type SipRequest,
  type SipResponse,
  type SrfClient,
} from './srf.ts';

/** More repetitions than two challenges with a stale nonce each and a 422 need. */
const MAX_REPETITIONS = 5;

/** A hop that has sent nothing for this long is given up if something else is left to try. Ms. */
export const SILENCE_MS = 4_000;
/** Otherwise it may take this long. Ms. */
export const LAST_SILENCE_MS = 10_000;

export interface InviteAttemptOptions {
  srf: SrfClient;
  hop: Hop;
  localSdp: string;
  /** The caller's identity. */
  headers: Record<string, string>;
  /** Null: no credentials for this hop. */
  digest: DigestSession | null;
  /** Whether silence is noticed here; otherwise the SIP server reports it after 32 s (RFC 3261 §17.1.1.2, timer B). */
  noticesSilence: boolean;
  /** Whether something else is left to try. */
  othersLeft: () => boolean;
  onSent: (req: SipRequest) => void;
  /** A provisional response other than 100. */
  onProgress: (res: SipResponse) => void;
  /** In the same turn in which the dialog is created. */
  onEstablished: (dialog: SipDialog) => void;
}

/** Why a hop failed; `silent`: it has sent nothing; `unusable`: its answer created no dialog. */
export type HopFailure = { error: SipRejection } | { silent: true } | { unusable: SipResponse };

export class InviteAttempt {
  readonly #options: InviteAttemptOptions;
  readonly #silent = Promise.withResolvers<HopFailure>();
  #request: SipRequest | null = null;
  /** The 2xx of the hop. */
  #answer: SipResponse | null = null;
  #cancelled = false;
  #provisional = false;
  #silenceTimer: NodeJS.Timeout | null = null;

  constructor(options: InviteAttemptOptions) {
    this.#options = options;
  }

  /** A provisional response other than 100 has arrived. */
  get provisional(): boolean {
    return this.#provisional;
  }

  /** Null: a dialog was established. */
  send(): Promise<HopFailure | null> {
    return Promise.race([this.#untilSettled(), this.#silent.promise]);
  }

  /**
   * Sends a CANCEL, which the SIP server defers until the hop responds. A dialog that is established nevertheless is
   * passed to `onEstablished`, which must end it.
   */
  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#stopTimer();
    this.#request?.cancel(() => undefined);
  }

  async #untilSettled(): Promise<HopFailure | null> {
    const repeated: Record<string, string> = {};
    const authentication = this.#options.digest?.attempt() ?? null;
    for (let repetitions = 0; ; repetitions += 1) {
      const error = await this.#invite(repeated);
      if (!error) return null;
      const answer = this.#answer;
      if (answer) {
        this.#endAnswered(answer);
        return { unusable: answer };
      }
      const { res } = error;
      if (!res || this.#cancelled || this.#provisional || repetitions >= MAX_REPETITIONS) return { error };
      const again = isChallenge(res)
        ? (authentication?.answer(res, {
            method: 'INVITE',
            uri: this.#options.hop.requestUri,
            body: this.#options.localSdp,
          }) ?? null)
        : longerSession(res, repeated);
      if (!again) return { error };
      Object.assign(repeated, again, sameCall(res));
    }
  }

  async #invite(more: Record<string, string>): Promise<SipRejection | null> {
    const { srf, hop, localSdp, headers } = this.#options;
    const options = {
      localSdp,
      headers: { ...headers, Allow: ALLOW, Supported: SUPPORTED, ...sessionTimerOffer(), ...more },
      ...(hop.proxy === null ? {} : { proxy: hop.proxy }),
    };
    const progress = {
      cbRequest: (_error: Error | null, req?: SipRequest) => this.#sent(req),
      cbProvisional: (res: SipResponse) => this.#progress(res),
    };
    this.#listenForSilence(SILENCE_MS);
    try {
      await createDialog(
        (done) => srf.createUAC(hop.requestUri, options, progress, done),
        (dialog) => {
          this.#stopTimer();
          this.#options.onEstablished(dialog);
        },
      );
      return null;
    } catch (error) {
      this.#stopTimer();
      return error as SipRejection;
    }
  }

  /**
   * drachtio-srf acknowledges every 2xx, but creates no dialog for one without a Contact. The SIP server has the dialog,
   * and sends its requests to the URI that was dialled.
   */
  #endAnswered(answer: SipResponse): void {
    const { srf, digest } = this.#options;
    // The SIP server has ended the dialog itself if the INVITE was cancelled.
    requestInDialog({ srf, digest }, { id: answer.stackDialogId }, { method: 'BYE' }).catch(() => undefined);
  }

  #sent(req: SipRequest | undefined): void {
    if (!req) return;
    this.#request = req;
    req.on('response', (res) => {
      if (res.status >= 200 && res.status < 300) this.#answer = res;
    });
    this.#options.onSent(req);
    if (this.#cancelled) req.cancel(() => undefined);
  }

  #progress(res: SipResponse): void {
    this.#stopTimer();
    if (res.status <= 100) return;
    this.#provisional = true;
    this.#options.onProgress(res);
  }

  #listenForSilence(ms: number): void {
    if (!this.#options.noticesSilence || this.#cancelled) return;
    this.#silenceTimer = setTimeout(() => {
      if (ms === SILENCE_MS && !this.#options.othersLeft()) {
        this.#listenForSilence(LAST_SILENCE_MS - SILENCE_MS);
        return;
      }
      this.cancel();
      this.#silent.resolve({ silent: true });
    }, ms);
  }

  #stopTimer(): void {
    if (this.#silenceTimer) clearTimeout(this.#silenceTimer);
    this.#silenceTimer = null;
  }
}

/** A repeated INVITE has the Call-ID and From of the rejected one, and the next CSeq (RFC 3261 §8.1.3.5). */
const sameCall = (res: SipResponse): Record<string, string> => ({
  From: res.get('From') ?? '',
  'Call-ID': res.get('Call-ID') ?? '',
  CSeq: `${cseqOf(res) + 1} INVITE`,
});

/**
 * Headers of another INVITE after a 422: the session interval that the remote party demands (RFC 4028 §7.3). Null for
 * any other response, and after the second 422.
 */
function longerSession(
  res: SipResponse,
  repeated: Readonly<Record<string, string>>,
): Record<string, string> | null {
  const minSe = minSeSeconds(res.get('Min-SE'));
  if (res.status !== 422 || minSe === null || 'Min-SE' in repeated) return null;
  return sessionTimerOffer(minSe);
}
