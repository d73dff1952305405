/** Reliable provisional responses of ours (RFC 3262 §3): numbered, repeated until the PRACK comes. */
import { randomCSeq } from '../ids.ts';
import type { SipMessage } from '../message/message.ts';
import { hasToken, header } from '../message/message.ts';
import type { Context } from './context.ts';
import type { Inbound } from './tables.ts';

export function supportsReliable(request: SipMessage): boolean {
  return hasToken(request, 'supported', '100rel') || hasToken(request, 'require', '100rel');
}

/** The RSeq of the next reliable response to an INVITE. */
export function nextRSeq(inbound: Inbound): number {
  inbound.lastRSeq = inbound.lastRSeq < 0 ? randomCSeq() : inbound.lastRSeq + 1;
  return inbound.lastRSeq;
}

/** Repeats a reliable response from T1 on, doubling, for 64*T1; then the caller gets a 5xx from `gaveUp`. */
export function repeatReliable(context: Context, inbound: Inbound, text: string, gaveUp: () => void): void {
  const { t1, giveUp } = context.settings.timers;
  const pending = {
    rseq: inbound.lastRSeq,
    repeat: null as Inbound['silence'],
    startedAt: context.clock.now(),
  };
  inbound.reliable = pending;
  const again = (ms: number): void => {
    pending.repeat = context.clock.after(ms, () => {
      if (inbound.reliable !== pending) return;
      if (context.clock.now() - pending.startedAt >= giveUp) {
        inbound.reliable = null;
        gaveUp();
        return;
      }
      context.send(text, inbound.transaction.peer);
      again(ms * 2);
    });
  };
  again(t1);
}

/** Takes a PRACK. False when it acknowledges nothing of ours: 481. */
export function acknowledge(inbound: Inbound, prack: SipMessage): boolean {
  const [rseq, cseq, method] = (header(prack, 'rack') ?? '').split(/\s+/);
  const { reliable } = inbound;
  if (reliable === null || Number(rseq) !== reliable.rseq || method !== 'INVITE') return false;
  if (Number(cseq) !== inbound.transaction.request.cseq) return false;
  reliable.repeat?.cancel();
  inbound.reliable = null;
  return true;
}
