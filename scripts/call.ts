/**
 * `npm run call -- [number]`: a SIP phone. Calls the running system, plays a greeting and echoes what it hears.
 * `--keys 1,,2` presses keys for a menu, waiting a second for each comma; `--save heard.wav` saves the received audio.
 * `--answer` acts as the far end of the demo trunk instead: it receives calls on 127.0.0.1:5090, or from the demo carrier if that uses the
 * port, then rings, answers, plays the greeting and echoes.
 * `--whatsapp` calls the demo account's WhatsApp line instead, through the simulator of WhatsApp; `--wav` and `--tone` choose what it plays.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SAMPLE_RATE } from '@clarion/test-phone/rtp/g711';
import { toSamples } from '@clarion/test-phone/rtp/port';
import { describeEnd, type SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone, type Behaviour } from '@clarion/test-phone/sip/phone';
import { pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import { encodeWav } from '@clarion/test-phone/audio/wav';
import { callOverWhatsApp } from './demo/whatsapp-call.ts';
import { greetAndEcho, heard, REGISTER_EVERY_MS, REGISTERED_SECONDS, talked } from './demo/far-end.ts';

const DEMO_NUMBER = '+442071838750';
const CALLER = '+441632960961'; // in Ofcom's range for drama use, never assigned
const FAR_END_PORT = process.env.CLARION_DEMO_FAR_END_PORT ?? '5090'; // where the demo trunk sends calls
const RING_MS = 2_000;
const AS_LONG_AS_IT_TAKES_MS = 2 ** 31 - 1; // the longest delay of a timer
/** Two signals within this time count as one request. */
const SAME_REQUEST_MS = 1_000;
const ANSWER_WITHIN_MS = 10 * 60_000;
/** Callers listen to a menu before they press a key. Each comma of `--keys` adds COMMA_MS. */
const BEFORE_KEYS_MS = 2_000;
const COMMA_MS = 1_000;

const USAGE = `npm run call -- [number] [--from <number>] [--server <host:port>] [--tcp] [--keys <1,,2>] [--save <file.wav>]
npm run call -- --answer [--port <port>] [--ring <seconds>]
npm run call -- --whatsapp [--wav <file.wav> | --tone <Hz>]
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    answer: { type: 'boolean', default: false },
    from: { type: 'string', default: CALLER },
    server: { type: 'string' },
    tcp: { type: 'boolean', default: false },
    keys: { type: 'string' },
    save: { type: 'string' },
    port: { type: 'string', default: FAR_END_PORT },
    ring: { type: 'string', default: String(RING_MS / 1000) },
    whatsapp: { type: 'boolean', default: false },
    wav: { type: 'string' },
    tone: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const startedAt = Date.now();
const say = (line: string) =>
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);

if (values.help) process.stdout.write(USAGE);
else if (values.answer) await answerCalls();
else if (values.whatsapp) process.exit(await callOverWhatsApp({ say, play: played(), onStop }));
else await placeCall(positionals[0] ?? DEMO_NUMBER);

/** What a WhatsApp customer plays; null for the greeting. */
function played(): { path: string } | { hz: number } | null {
  if (values.wav !== undefined) return { path: values.wav };
  return values.tone === undefined ? null : { hz: Number(values.tone) };
}

async function placeCall(number: string): Promise<void> {
  const server = serverAddress();
  const phone = await SipPhone.open({ transport: values.tcp ? 'tcp' : 'udp' });
  say(
    `calling ${number} from ${values.from} through ${server.host}:${server.port} (press Ctrl-C to hang up)`,
  );
  const call = await phone.call(number, server, { from: values.from });
  const hangUp = () => {
    say('hanging up');
    call
      .hangUp()
      .catch(() => undefined)
      .finally(() => finish(phone, call));
  };
  onStop(hangUp);
  call.rings(ANSWER_WITHIN_MS).then(
    () => call.state === 'ringing' && say('ringing'),
    () => undefined, // the end is reported below
  );
  const answered = await call.answered(ANSWER_WITHIN_MS).then(
    () => true,
    () => false,
  );
  if (!answered) {
    say(call.end ? ending(call) : 'no answer');
    if (call.end?.how === 'unanswered')
      say(`is Clarion running? Nothing responds to SIP at ${server.host}:${server.port}`);
    return leave(phone, 1);
  }
  say(`answered (${call.audio.law}); playing the greeting`);
  greetAndEcho(call, say);
  if (values.keys !== undefined) void press(call, values.keys);
  await call.ended(AS_LONG_AS_IT_TAKES_MS);
  say(`${ending(call)} after ${talked(call)} s of conversation; ${heard(call)}`);
  finish(phone, call);
}

function finish(phone: SipPhone, call: SipCall): never {
  if (values.save !== undefined) save(call, values.save);
  return leave(phone, 0);
}

async function press(call: SipCall, keys: string): Promise<void> {
  await sleep(BEFORE_KEYS_MS);
  for (const key of keys) {
    if (call.state === 'ended') return;
    if (key === ',') {
      await sleep(COMMA_MS);
      continue;
    }
    say(`pressing ${key}`);
    await pressKeys(call.audio, key);
  }
}

function save({ audio }: SipCall, file: string): void {
  const samples = toSamples(audio.heard, audio.law);
  writeFileSync(file, encodeWav({ sampleRate: SAMPLE_RATE, samples }));
  say(`saved ${Math.round(samples.length / SAMPLE_RATE)} s of received audio to ${file}`);
}

async function answerCalls(): Promise<void> {
  const behaviour = { do: 'answer', afterMs: Number(values.ring) * 1000 } as const;
  const { phone, leaveCarrier } = await farEnd(behaviour);
  say(`waiting for calls on ${phone.address}:${phone.port} (press Ctrl-C to stop)`);
  phone.onCall = (call) => {
    say(`call to ${call.called} from ${call.caller}: ringing`);
    call.answered(ANSWER_WITHIN_MS).then(
      () => {
        say(`answered (${call.audio.law}); playing the greeting`);
        greetAndEcho(call, say);
      },
      () => undefined, // the end is reported below
    );
    void call
      .ended(AS_LONG_AS_IT_TAKES_MS)
      .then(() => say(`${ending(call)} after ${talked(call)} s of conversation; ${heard(call)}`));
  };
  const stop = () => {
    const live = phone.calls.filter((call) => call.state !== 'ended');
    Promise.allSettled([...live.map((call) => call.hangUp()), leaveCarrier()]).finally(() => leave(phone, 0));
  };
  onStop(stop);
}

interface FarEnd {
  phone: SipPhone;
  /** Unregisters, so that the carrier plays its own greeting again. */
  leaveCarrier(): Promise<void>;
}

/** Listens on the trunk's port. If the demo carrier uses it, registers with the carrier, which then forwards its calls. */
async function farEnd(behaviour: Behaviour): Promise<FarEnd> {
  const port = Number(values.port);
  const own = await SipPhone.open({ port, behaviour }).catch((error: NodeJS.ErrnoException) => error);
  if (own instanceof SipPhone) return { phone: own, leaveCarrier: () => Promise.resolve() };
  const carrier = { host: '127.0.0.1', port };
  const phone = await SipPhone.open({ behaviour });
  const register = (seconds: number) => phone.register(carrier, seconds);
  const answer = own.code === 'EADDRINUSE' ? await register(REGISTERED_SECONDS).catch(() => null) : null;
  if (answer?.status !== 200) {
    say(`cannot listen on port ${port}: ${own.message}`);
    process.exit(1);
  }
  say(`the demo carrier has port ${port} and forwards its calls to this command`);
  const again = setInterval(() => void register(REGISTERED_SECONDS).catch(() => null), REGISTER_EVERY_MS);
  return {
    phone,
    leaveCarrier: async () => {
      clearInterval(again);
      await register(0);
    },
  };
}

/**
 * One request to stop may arrive twice, from the terminal and from the parent process; the second one must not interrupt hanging up. A
 * later one stops immediately.
 */
function onStop(work: () => void): void {
  let askedAt: number | null = null;
  const stop = () => {
    if (askedAt === null) {
      askedAt = Date.now();
      work();
    } else if (Date.now() - askedAt > SAME_REQUEST_MS) process.exit(1);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function ending(call: SipCall): string {
  switch (call.end?.how) {
    case 'bye-received':
      return 'the remote party hung up';
    case 'bye-sent':
    case 'cancelled':
      return 'hung up';
    case 'cancel-received':
      return 'the caller hung up';
    case 'unanswered':
      return 'no response';
    default:
      return `rejected: ${describeEnd(call.end).replace(/^refused /, '')}`;
  }
}

function serverAddress(): { host: string; port: number } {
  const [host = '127.0.0.1', port = process.env.CLARION_SIP_PORT ?? '5060'] = values.server?.split(':') ?? [];
  return { host, port: Number(port) };
}

function leave(phone: SipPhone, code: number): never {
  phone.close();
  process.exit(code);
}
