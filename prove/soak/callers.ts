/** The life of a caller, and of the customers whom agents call. */
import type { Behaviour, SipPhone } from '@clarion/test-phone/sip/phone';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import type { Chance } from '../lib/chance.ts';
import type { Soak } from './lives.ts';

const CUSTOMER_HZ = 440;
const MOST_PATIENT_MS = 40_000;

/** One call after the other until the soak stops. */
export async function liveAsCaller(soak: Soak, chance: Chance, phone: SipPhone, from: string): Promise<void> {
  while (!soak.stopped) {
    await soak.pause(chance.between(200, 4000));
    if (soak.stopped) return;
    await oneCall(soak, chance, phone, from);
    phone.calls.splice(0, phone.calls.length - 1); // a late retransmission may still ask for the last one
  }
}

async function oneCall(soak: Soak, chance: Chance, phone: SipPhone, from: string): Promise<void> {
  const { town, t } = soak;
  const toFlow = chance.often(0.25);
  const call = await phone.call(toFlow ? town.flowNumber : chance.pick(town.numbers), t.sip, { from });
  call.audio.keep = false;
  const givesUpAfterMs = chance.often(0.25) ? chance.between(100, 6000) : MOST_PATIENT_MS;
  await until(soak, call, ['answered', 'ended'], givesUpAfterMs);
  if (call.state === 'answered') {
    soak.count(toFlow ? 'caller met the flow' : 'caller answered');
    call.audio.sendTone(CUSTOMER_HZ);
    if (toFlow && chance.often(0.7)) {
      await soak.pause(chance.between(200, 1500));
      if (call.state === 'answered')
        await pressKeys(call.audio, chance.pick(['1', '1', '2', '9'])).catch(() => undefined);
    }
    await until(soak, call, ['ended'], chance.between(500, 12_000));
  }
  if (call.state !== 'ended') soak.count('caller hung up');
  await hangUp(call);
}

/** The far end of the trunk: answers, lets ring, is busy; and hangs up in the end. */
export function castCustomers(soak: Soak, chance: Chance): void {
  const { carrier } = soak.t;
  carrier.behaviour = (): Behaviour => {
    const dice = chance.next();
    if (dice < 0.6) return { do: 'answer', afterMs: chance.between(50, 1500), earlyMedia: chance.often(0.2) };
    if (dice < 0.75) return { do: 'refuse', status: chance.pick([486, 603, 480, 404, 503, 403]) };
    return { do: 'ring' };
  };
  carrier.onCall = (call) => void liveAsCustomer(soak, chance.child(), call);
}

async function liveAsCustomer(soak: Soak, chance: Chance, call: SipCall): Promise<void> {
  call.audio.keep = false;
  await until(soak, call, ['answered', 'ended'], chance.between(3000, 8000));
  if (call.state === 'answered') {
    soak.count('customer answered');
    call.audio.sendTone(CUSTOMER_HZ);
    await until(soak, call, ['ended'], chance.between(1000, 10_000));
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

/** Whatever the other side makes of it: what is told of the call is what counts. */
async function hangUp(call: SipCall): Promise<void> {
  await call.hangUp().catch(() => undefined);
  call.audio.close();
}
