/**
 * Places an outbound call: tries the hops of its trunks one after another, and those to which a carrier redirects it,
 * until one answers or the call has failed (docs/decisions/outbound-failover.md). At most one INVITE is open at a time,
 * and all of them offer the same port.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DialAttempt, LegEnd } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import { afterFailure, type Next } from '../dial/failover.ts';
import { retryAfterSeconds } from '../dial/hop-memory.ts';
import { hopsOf, hopsOfTarget, type Hop, type HopSources, type NoHop } from '../dial/hops.ts';
import type { InvitePacer } from '../dial/invite-pacer.ts';
import { MAX_REDIRECTS, redirectTargets, targetKey } from '../dial/redirect.ts';
import type { LocalMedia } from '../sdp/carrier.ts';
import { newLocalKeys, type MediaTerms } from './agreement.ts';
import { callerHeaders } from './caller-identity.ts';
import { DigestSession } from './digest.ts';
import { endDialog, type DialogSender } from './dialog-requests.ts';
import { EarlyDialogs } from './early-dialogs.ts';
import { InviteAttempt, type HopFailure } from './invite-attempt.ts';
import { failedDial, localEnd, silentHop, unusableAnswer } from './leg-end.ts';
import type { SipDialog, SipRequest, SipResponse, SrfClient } from './srf.ts';

/** Number of INVITEs of one call to different hops. */
export const MAX_INVITES = 16;

/** What outbound calls of a media process share. */
export interface DialContext extends HopSources {
  pacer: InvitePacer;
  /** Whether the SIP server passes on 100, so that silence is noticed. */
  passesTrying: () => boolean;
}

/** A trunk to try, with what is offered to it. */
export interface DialRoute extends DialAttempt {
  terms: MediaTerms;
}

/** The attempt that is open, or that was answered. */
export interface OpenAttempt {
  route: DialRoute;
  /** Those of the route, without encryption if the hop is not reached over TLS. */
  terms: MediaTerms;
  early: EarlyDialogs;
  sender: DialogSender;
}

export interface DiallingOptions {
  srf: SrfClient;
  dial: DialContext;
  routes: readonly DialRoute[];
  local: LocalMedia;
  log: Logger;
  onSent: (attempt: OpenAttempt, req: SipRequest) => void;
  /** A provisional response other than 100. */
  onProgress: (attempt: OpenAttempt, res: SipResponse) => void;
  /** In the same turn in which the dialog is created. */
  onEstablished: (attempt: OpenAttempt, dialog: SipDialog) => void;
}

interface Trunk {
  route: DialRoute;
  digest: DigestSession | null;
  /** Whether another trunk follows. */
  othersFollow: boolean;
  /** Redirect targets that were tried, to end loops. */
  redirected: Set<string>;
}

const isHop = (hop: Hop | NoHop): hop is Hop => 'requestUri' in hop;

export class Dialling {
  readonly #options: DiallingOptions;
  readonly #stop = new AbortController();
  #invites = 0;
  #open: InviteAttempt | null = null;
  /** A hop that was given up has rung a phone after all. */
  #rungLate = false;

  constructor(options: DiallingOptions) {
    this.#options = options;
  }

  /** Whether an INVITE is open. */
  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** Resolves with the end of the last attempt, or with null once a hop has answered or after `stop`. */
  async run(): Promise<LegEnd | null> {
    const { routes } = this.#options;
    let last = localEnd('unreachable', 'the call has no trunk', { reason: 'trunk_not_dialled' });
    for (const [index, route] of routes.entries()) {
      const { username, password } = route.trunk;
      const digest = username === null ? null : new DigestSession({ username, password: password ?? '' });
      const othersFollow = index < routes.length - 1;
      const redirected = new Set([redirectKey(route)]);
      const tried = await this.#tryTrunk({ route, digest, othersFollow, redirected }, last);
      if (!tried) return null;
      last = tried.end;
      if (tried.next === 'final') break;
    }
    return last;
  }

  /** Cancels the open INVITE. Nothing else is tried. */
  stop(): void {
    this.abandon();
    this.#open?.cancel();
  }

  /** Nothing else is tried, and nothing is sent. */
  abandon(): void {
    this.#stop.abort();
  }

  async #tryTrunk(trunk: Trunk, before: LegEnd): Promise<{ end: LegEnd; next: Next } | null> {
    const hops = hopsOf(trunk.route, this.#options.dial);
    let end = before;
    for (let upcoming = hops.next(); ;) {
      const { value: hop, done } = await upcoming;
      if (this.#stop.signal.aborted) return null;
      if (done) return { end, next: 'trunk' };
      // Looked up while this hop is tried.
      let othersLeft = true;
      upcoming = hops.next();
      upcoming.then(
        (next) => (othersLeft = trunk.othersFollow || next.done !== true),
        () => undefined, // It is thrown again where the next hop is awaited.
      );
      const failed = isHop(hop)
        ? await this.#tryHop(trunk, hop, () => othersLeft)
        : localEnd('unreachable', hop.message, { reason: hop.reason });
      if (!failed) return null;
      this.#log(trunk, isHop(hop) ? hop.key : null, failed);
      end = moreTelling(end, failed);
      const next = this.#invites >= MAX_INVITES ? 'final' : afterFailure(failed);
      if (next !== 'destination') return { end, next };
    }
  }

  /** @param depth how many redirects led here */
  async #tryHop(trunk: Trunk, hop: Hop, othersLeft: () => boolean, depth = 0): Promise<LegEnd | null> {
    if (trunk.route.terms.srtp === 'required' && hop.transport !== 'TLS') {
      const reason = 'srtp_without_tls';
      return localEnd('unreachable', 'the keys of encrypted audio may be sent only over TLS', { reason });
    }
    if (!(await this.#pace(trunk.route))) {
      if (this.#stop.signal.aborted) return null;
      const reason = 'trunk_rate_limit';
      return localEnd('unreachable', 'the trunk has reached its calls per second', { reason });
    }
    this.#invites += 1;
    const attempt = this.#attemptOn(trunk, hop, othersLeft);
    this.#open = attempt;
    const failure = await attempt.send();
    this.#open = null;
    if (!failure) return null;
    if (this.#stop.signal.aborted) return null;
    const end = this.#endOf(failure, hop, attempt.provisional || this.#rungLate);
    const redirect = 'error' in failure ? failure.error.res : undefined;
    if (!redirect || end.cause !== 'rejected' || redirect.status >= 400 || end.provisional) return end;
    return this.#redirected(trunk, hop, redirect, end, othersLeft, depth);
  }

  /** Tries the targets of a redirect, best first. The redirect itself is the end if none can be tried. */
  async #redirected(
    trunk: Trunk,
    from: Hop,
    redirect: SipResponse,
    end: LegEnd,
    othersLeft: () => boolean,
    depth: number,
  ): Promise<LegEnd | null> {
    if (depth >= MAX_REDIRECTS) return end;
    let last = end;
    for (const target of redirectTargets(redirect.status, redirect.get('Contact'), from.transport)) {
      const key = targetKey(target);
      if (trunk.redirected.has(key)) continue;
      trunk.redirected.add(key);
      for await (const hop of hopsOfTarget(target, trunk.route, this.#options.dial)) {
        if (this.#stop.signal.aborted) return null;
        if (!isHop(hop)) {
          this.#log(trunk, null, localEnd('unreachable', hop.message, { reason: hop.reason }));
          continue;
        }
        const failed = await this.#tryHop(trunk, hop, othersLeft, depth + 1);
        if (!failed) return null;
        this.#log(trunk, hop.key, failed);
        last = failed;
        const next = afterFailure(failed);
        if (next === 'final' || this.#invites >= MAX_INVITES) return failed;
        if (next === 'trunk') break;
      }
    }
    return last;
  }

  #attemptOn(trunk: Trunk, hop: Hop, othersLeft: () => boolean): InviteAttempt {
    const { srf, dial, local, onSent, onProgress, onEstablished } = this.#options;
    const { route } = trunk;
    const terms: MediaTerms = hop.transport === 'TLS' ? route.terms : { ...route.terms, srtp: 'never' };
    // Keys are offered to one hop only.
    const early = new EarlyDialogs({ ...local, keys: newLocalKeys() }, terms);
    const digest = hop.trusted ? trunk.digest : null;
    const open: OpenAttempt = { route, terms, early, sender: { srf, digest } };
    const attempt = new InviteAttempt({
      srf,
      hop,
      localSdp: early.offer,
      headers: {
        ...callerHeaders(route),
        ...(route.maxForwards !== undefined && { 'Max-Forwards': String(route.maxForwards) }),
      },
      digest,
      noticesSilence: dial.passesTrying(),
      othersLeft,
      onSent: (req) => onSent(open, req),
      onProgress: (res) => {
        if (this.#open === attempt) onProgress(open, res);
        else this.#rungLate = true;
      },
      onEstablished: (dialog) => {
        if (this.#open === attempt) onEstablished(open, dialog);
        else endDialog(dialog, open.sender);
      },
    });
    return attempt;
  }

  #endOf(failure: HopFailure, hop: Hop, provisional: boolean): LegEnd {
    const { memory } = this.#options.dial;
    const end = { ...endOfHop(failure), provisional };
    if (end.cause === 'unreachable') memory.didNotRespond(hop.key);
    else {
      memory.responded(hop.key);
      const seconds = 'error' in failure ? retryAfterSeconds(failure.error.res?.get('Retry-After')) : 0;
      if (end.sipStatus === 503 && seconds > 0) memory.retryAfter(hop.key, seconds);
    }
    return end;
  }

  /** False: the trunk's calls per second are used up for too long, or the call was stopped meanwhile. */
  async #pace({ trunk }: DialRoute): Promise<boolean> {
    if (trunk.callsPerSecond === null) return true;
    const waitMs = this.#options.dial.pacer.reserve(trunk.trunkId, trunk.callsPerSecond);
    if (waitMs === null) return false;
    if (waitMs > 0) await sleep(waitMs, null, { signal: this.#stop.signal }).catch(() => undefined);
    return !this.#stop.signal.aborted;
  }

  #log({ route }: Trunk, hop: string | null, { sipStatus, reason, message }: LegEnd): void {
    this.#options.log.info(
      { trunkId: route.trunk.trunkId, hop, sipStatus, reason, message },
      'dial attempt failed',
    );
  }
}

function endOfHop(failure: HopFailure): LegEnd {
  if ('silent' in failure) return silentHop();
  if ('unusable' in failure) return unusableAnswer(failure.unusable.status);
  return failedDial(failure.error, null, false);
}

/** A response of a carrier tells more than an attempt that got none. */
const moreTelling = (before: LegEnd, after: LegEnd): LegEnd =>
  before.cause === 'rejected' && after.cause === 'unreachable' ? before : after;

const redirectKey = ({ trunk, called }: DialRoute): string =>
  targetKey({
    user: called,
    host: trunk.host,
    port: trunk.port,
    transport: trunk.transport,
    userPhone: false,
  });
