/**
 * What a call costs. First without audio: CPU and statements per call by process at several rates, for a surge and for outbound calls,
 * and the time to the offer; then with audio: how many calls, loss and delay. Compared with Kamailio, Asterisk and rtpengine.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compareSignalling } from './calls/peers.ts';
import { measureCalls, measureRelay } from './calls/measure.ts';
import { callsReport, complaints, relayReport, worstLoss } from './calls/report.ts';
import { hasRtpengine } from './calls/rtpengine.ts';
import { measureFlat } from './calls/signalling/flat.ts';
import { measureSignalling } from './calls/signalling/measure.ts';
import { signallingReport, wrongWith } from './calls/signalling/report.ts';

const { values } = parseArgs({
  options: {
    signalling: { type: 'boolean', default: true },
    rates: { type: 'string', default: '2,10,25' },
    'outbound-rates': { type: 'string', default: '2' },
    'phase-seconds': { type: 'string', default: '20' },
    surge: { type: 'string', default: '100' },
    overload: { type: 'string', default: '0' },
    agents: { type: 'string', default: '50' },
    waiting: { type: 'string', default: '0' },
    history: { type: 'string', default: '0' },
    flat: { type: 'boolean', default: false },
    /** The tenant and the account pay for each call from prepaid accounts. */
    billing: { type: 'boolean', default: false },
    audio: { type: 'boolean', default: true },
    calls: { type: 'string', default: '50' },
    rate: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '15' },
    peers: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const say = (line: string) => process.stderr.write(`… ${line}\n`);
const print = (text: string) => process.stdout.write(`${text}\n\n`);
const numbers = (list: string) => list.split(',').filter(Boolean).map(Number);
/** Before and after each load. */
const IDLE_SECONDS = 15;

async function withoutAudio(): Promise<string[]> {
  const plan = {
    agents: Number(values.agents),
    rates: numbers(values.rates),
    outboundRates: numbers(values['outbound-rates']),
    seconds: Number(values['phase-seconds']),
    surge: Number(values.surge),
    overload: Number(values.overload),
    waiting: Number(values.waiting),
    history: Number(values.history),
    billing: values.billing,
    idleSeconds: IDLE_SECONDS,
  };
  const result = await measureSignalling(plan, say);
  print(signallingReport(result));
  const compared = values.peers ? await compareSignalling(result, say) : null;
  if (compared) print(compared);
  return wrongWith(result);
}

async function beside(): Promise<string[]> {
  const result = await measureFlat(
    { seconds: Number(values['phase-seconds']), idleSeconds: IDLE_SECONDS },
    say,
  );
  print(signallingReport(result));
  return wrongWith(result);
}

async function withAudio(): Promise<string[]> {
  const plan = {
    calls: Number(values.calls),
    rate: Number(values.rate),
    talkSeconds: Number(values.seconds),
  };
  const ours = await measureCalls(plan, say);
  print(callsReport(ours));
  if (values.peers && hasRtpengine()) {
    say(`the same ${plan.calls} calls' audio through rtpengine`);
    const peer = await measureRelay({ calls: plan.calls, talkSeconds: plan.talkSeconds });
    if (worstLoss(peer) > worstLoss(ours)) say('note: rtpengine lost more than we did');
    print(relayReport(ours, peer));
  } else if (values.peers)
    say('rtpengine is not installed (Debian: rtpengine-daemon): no relay to compare with');
  return complaints(ours);
}

const load = loadavg()[0]?.toFixed(1);
print(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, load on the same machine, load average before: ${load}`,
);
const wrong = values.flat
  ? await beside()
  : [...(values.signalling ? await withoutAudio() : []), ...(values.audio ? await withAudio() : [])];
if (wrong.length > 0) {
  process.stderr.write(`NOT RIGHT:\n${wrong.map((line) => `  ${line}\n`).join('')}`);
  process.exitCode = 1;
}
