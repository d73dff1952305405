/**
 * The far end of the demo account's trunk, started with the embedded gateway. A call to one of our own lines is sent back as an inbound
 * call, as a carrier would do, so that an agent can call their own menu over real SIP and RTP without a carrier. Calls to other numbers
 * are forwarded to the registered phone (`npm run call -- --answer`) or answered with a greeting and an echo. +44 1632 960 followed by 404,
 * 486, 503 or 603 is rejected with that status, to see how failed calls are shown.
 */
import { createDatabase } from '@clarion/db';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { header, hostPort, uriOf } from '@clarion/test-phone/sip/message';
import type { SipRequest } from '@clarion/test-phone/sip/message';
import { bridge } from './demo/bridge.ts';
import { greetAndEcho } from './demo/far-end.ts';

const HOST = '127.0.0.1';
const RING_MS = 1_500;
const AS_LONG_AS_IT_TAKES_MS = 2 ** 31 - 1;
const HANG_UP_WITHIN_MS = 2_000;
/** Numbers of Ofcom's range for drama, which belong to nobody, and the responses to them. */
const REJECTED_NUMBER = /^441632960(404|486|503|603)$/;

const { env } = process;
const ingress = { host: env.CLARION_PUBLIC_IP || HOST, port: Number(env.CLARION_SIP_PORT || 5060) };
const database = createDatabase(env.DATABASE_URL ?? '');
const say = (line: string) => process.stdout.write(`${line}\n`);

const phone = await SipPhone.open({
  port: Number(env.CLARION_DEMO_FAR_END_PORT || 5090),
  behaviour: { do: 'ignore' },
});

/** The registered phone, and when its registration expires. */
let registered: { host: string; port: number; until: number } | null = null;

phone.onRequest = (request: SipRequest) => {
  if (request.method !== 'REGISTER') return;
  const seconds = Number(header(request, 'expires') || 0);
  const contact = hostPort(uriOf(header(request, 'contact')));
  if (seconds > 0) registered = { ...contact, until: Date.now() + seconds * 1000 };
  else if (registered?.port === contact.port) registered = null;
};
phone.onCall = (call) => {
  call.audio.keep = false;
  void take(call).catch((error: Error) => {
    say(`call to ${call.called}: ${error.message}`);
    call.refuse(500, 'Server Internal Error');
  });
};

async function take(call: SipCall): Promise<void> {
  const { called, caller } = call;
  if (await isOurLine(called)) {
    say(`${caller} calls ${called}, a line of this system: calling it`);
    return bridge(phone, call, ingress);
  }
  const status = REJECTED_NUMBER.exec(called.replaceAll(/\D/g, ''))?.[1];
  if (status !== undefined) {
    say(`${caller} calls ${called}: rejecting it with ${status}`);
    return call.refuse(Number(status), 'Rejected');
  }
  if (registered !== null && registered.until > Date.now()) {
    say(`${caller} calls ${called}: forwarding to port ${registered.port}`);
    return bridge(phone, call, registered);
  }
  say(`${caller} calls ${called}: answering with a greeting and an echo`);
  await answer(call);
}

/** The called number has no plus, as carriers send it. */
async function isOurLine(called: string): Promise<boolean> {
  const address = `+${called.replaceAll(/\D/g, '')}`;
  const line = await database.channel.findFirst({ where: { type: 'SIP', address }, select: { id: true } });
  return line !== null;
}

async function answer(call: SipCall): Promise<void> {
  const toTag = call.localTag;
  phone.respond(call.invite, 180, 'Ringing', { toTag });
  call.markRinging();
  const timer = setTimeout(() => {
    if (call.state === 'ended') return;
    phone.respond(call.invite, 200, 'OK', { toTag, sdp: call.sdp() });
    call.markAnswered();
    greetAndEcho(call, () => undefined);
  }, RING_MS);
  await call.ended(AS_LONG_AS_IT_TAKES_MS);
  clearTimeout(timer);
  phone.forget(call);
}

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(0), HANG_UP_WITHIN_MS).unref();
  await Promise.allSettled(phone.calls.map((call) => call.hangUp()));
  phone.close();
  process.exit(0);
}
process.on('SIGINT', () => void stop());
process.on('SIGTERM', () => void stop());
