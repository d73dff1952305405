/** Reliable provisional responses that we send (RFC 3262 §3): numbered, and retransmitted until the PRACK. */
import type { Dialog } from '../dialog/dialog.ts';
import { randomCSeq } from '../ids.ts';
import type { SipMessage } from '../message/message.ts';
import { hasToken, header } from '../message/message.ts';
import type { Context } from './context.ts';
import type { Inbound, PendingReliable } from './tables.ts';

export function supportsReliable(request: SipMessage): boolean {
  return hasToken(request, 'supported', '100rel') || hasToken(request, 'require', '100rel');
}

/** Whether the caller accepts no unreliable 18x (RFC 3262 §3). */
export function demandsReliable(request: SipMessage): boolean {
  return hasToken(request, 'require', '100rel');
}

/** The RSeq of the next reliable response to an INVITE. */
export function nextRSeq(inbound: Inbound): number {
  inbound.lastRSeq = inbound.lastRSeq < 0 ? randomCSeq() : inbound.lastRSeq + 1;
  return inbound.lastRSeq;
}

/** Retransmits a reliable response from T1 on, doubling, for 64*T1; then `onTimeout` rejects the call. */
export function retransmitReliable(
  context: Context,
  inbound: Inbound,
  text: string,
  ours: boolean,
  onTimeout: () => void,
): void {
  const { t1, transactionTimeout } = context.settings.timers;
  const pending: PendingReliable = {
    rseq: inbound.lastRSeq,
    ours,
    startedAt: context.clock.now(),
    repeat: null,
  };
  inbound.reliable = pending;
  const again = (ms: number): void => {
    pending.repeat = context.clock.after(ms, () => {
      if (inbound.reliable !== pending) return;
      const left = transactionTimeout - (context.clock.now() - pending.startedAt);
      if (left <= 0) {
        inbound.reliable = null;
        onTimeout();
        return;
      }
      context.send(text, inbound.transaction.peer);
      again(Math.min(ms * 2, left));
    });
  };
  again(t1);
}

/** Who handles a PRACK: the app, this server, or none (481). */
export type PrackFor = 'app' | 'server' | 'none';

/** Matches a PRACK with the pending reliable response of an INVITE, or with one that its final response overtook. */
export function acknowledge(dialog: Dialog, invite: Inbound | undefined, prack: SipMessage): PrackFor {
  const [rseqText, cseq, method] = (header(prack, 'rack') ?? '').split(/\s+/);
  const rseq = Number(rseqText);
  if (method !== 'INVITE') return 'none';
  if (invite === undefined) return rseq === dialog.overtakenRSeq ? 'server' : 'none';
  const { reliable } = invite;
  if (reliable === null || rseq !== reliable.rseq) return 'none';
  if (Number(cseq) !== invite.transaction.request.cseq) return 'none';
  reliable.repeat?.cancel();
  invite.reliable = null;
  return reliable.ours ? 'server' : 'app';
}
