/** How a test phone handles an incoming call, up to its final response. */
import type { ResponseOptions, SipCall } from './call.ts';
import type { SipRequest } from './message.ts';

/** `ring` (default) sends a 180 first. */
export type Behaviour =
  | { do: 'answer'; afterMs?: number; ring?: boolean; earlyMedia?: boolean }
  | { do: 'refuse'; status: number; reason?: string; q850?: number; afterMs?: number; ring?: boolean }
  /** Rings and never answers. */
  | { do: 'ring' }
  /** Sends no response at all. */
  | { do: 'ignore' }
  /** The test sends every response after the 100. */
  | { do: 'script'; play: (call: SipCall) => void };

export interface Answering {
  respond(request: SipRequest, status: number, reason: string, options?: ResponseOptions): void;
  after(ms: number, then: () => void): void;
}

export function behave(phone: Answering, call: SipCall, behaviour: Behaviour): void {
  const toTag = call.localTag;
  if (behaviour.do === 'ignore') return;
  if (behaviour.do === 'script') return behaviour.play(call);
  if (behaviour.do === 'ring' || behaviour.ring !== false) {
    if (behaviour.do === 'answer' && behaviour.earlyMedia)
      phone.respond(call.invite, 183, 'Session Progress', { toTag, sdp: call.sdp() });
    else phone.respond(call.invite, 180, 'Ringing', { toTag });
    call.markRinging();
  }
  if (behaviour.do === 'ring') return;
  phone.after(behaviour.afterMs ?? 0, () => {
    if (call.state === 'ended') return;
    if (behaviour.do === 'answer') return call.answerWith(call.sdp());
    call.refuse(behaviour.status, behaviour.reason ?? 'Refused', behaviour.q850 ?? null);
  });
}
