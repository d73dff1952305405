/** Simulated callers, and the customers whom agents call. */
import type { Behaviour, SipPhone } from '@clarion/test-phone/sip/phone';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import type { SeededRandom } from '../lib/seeded-random.ts';
import type { Soak } from './lives.ts';

const CUSTOMER_HZ = 440;
const MOST_PATIENT_MS = 40_000;
/** The share of calls to the number with an IVR flow. */
const FLOW_SHARE = 0.25;

/**
 * One call after another until the soak test stops.
 *
 * @param flowFirst whether the first call reaches the flow, so that one does in a short test as well
 */
export async function liveAsCaller(
  soak: Soak,
  random: SeededRandom,
  phone: SipPhone,
  from: string,
  flowFirst: boolean,
): Promise<void> {
  for (let count = 0; !soak.stopped; count += 1) {
    await soak.pause(random.between(200, 4000));
    if (soak.stopped) return;
    await oneCall(soak, random, phone, from, (flowFirst && count === 0) || random.often(FLOW_SHARE));
    phone.calls.splice(0, phone.calls.length - 1); // a late retransmission may still need the last one
  }
}

async function oneCall(
  soak: Soak,
  random: SeededRandom,
  phone: SipPhone,
  from: string,
  toFlow: boolean,
): Promise<void> {
  const { fixture, t } = soak;
  const call = await phone.call(toFlow ? fixture.flowNumber : random.pick(fixture.numbers), t.sip, { from });
  call.audio.keep = false;
  const givesUpAfterMs = random.often(0.25) ? random.between(100, 6000) : MOST_PATIENT_MS;
  await until(soak, call, ['answered', 'ended'], givesUpAfterMs);
  if (call.state === 'answered') {
    soak.count(toFlow ? 'caller met the flow' : 'caller answered');
    call.audio.sendTone(CUSTOMER_HZ);
    if (toFlow && random.often(0.7)) {
      await soak.pause(random.between(200, 1500));
      if (call.state === 'answered')
        await pressKeys(call.audio, random.pick(['1', '1', '2', '9'])).catch(() => undefined);
    }
    await until(soak, call, ['ended'], random.between(500, 12_000));
  }
  if (call.state !== 'ended') soak.count('caller hung up');
  await hangUp(call);
}

/** The carrier side of the trunk: answers, does not answer, is busy; and hangs up in the end. */
export function routeCustomers(soak: Soak, random: SeededRandom): void {
  const { carrier } = soak.t;
  carrier.behaviour = (): Behaviour => {
    const dice = random.next();
    if (dice < 0.6) return { do: 'answer', afterMs: random.between(50, 1500), earlyMedia: random.often(0.2) };
    if (dice < 0.75) return { do: 'refuse', status: random.pick([486, 603, 480, 404, 503, 403]) };
    return { do: 'ring' };
  };
  carrier.onCall = (call) => void liveAsCustomer(soak, random.child(), call);
}

async function liveAsCustomer(soak: Soak, random: SeededRandom, call: SipCall): Promise<void> {
  call.audio.keep = false;
  await until(soak, call, ['answered', 'ended'], random.between(3000, 8000));
  if (call.state === 'answered') {
    soak.count('customer answered');
    call.audio.sendTone(CUSTOMER_HZ);
    await until(soak, call, ['ended'], random.between(1000, 10_000));
  }
  await hangUp(call);
  const { calls } = soak.t.carrier;
  calls.splice(calls.indexOf(call), 1);
}

async function until(soak: Soak, call: SipCall, states: SipCall['state'][], ms: number): Promise<void> {
  const deadline = performance.now() + ms;
  while (!soak.stopped && !states.includes(call.state) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Whatever happens on the other side: the reported outcome of the call is what counts. */
async function hangUp(call: SipCall): Promise<void> {
  await call.hangUp().catch(() => undefined);
  call.audio.close();
}
