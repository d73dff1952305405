/**
 * Calls connected with audio: how many, CPU per call by process, loss and delay, time to offer and answer; compared with Kamailio and
 * rtpengine.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { hasKamailio, kamailioCpuPerCall } from './calls/kamailio.ts';
import { measureCalls, measureRelay } from './calls/measure.ts';
import { callsReport, complaints, relayReport, signallingReport, worstLoss } from './calls/report.ts';
import { hasRtpengine } from './calls/rtpengine.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '50' },
    rate: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '15' },
    peers: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const plan = { calls: Number(values.calls), rate: Number(values.rate), talkSeconds: Number(values.seconds) };
const say = (line: string) => process.stderr.write(`… ${line}\n`);
const print = (text: string) => process.stdout.write(`${text}\n\n`);

const ours = await measureCalls(plan, say);
const wrong = complaints(ours);
print(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, load on the same machine`,
);
print(callsReport(ours));
if (values.peers) {
  if (hasRtpengine()) {
    say(`the same ${plan.calls} calls' audio through rtpengine`);
    const peer = await measureRelay({ calls: plan.calls, talkSeconds: plan.talkSeconds });
    if (worstLoss(peer) > worstLoss(ours)) say('note: rtpengine lost more than we did');
    print(relayReport(ours, peer));
  } else say('rtpengine is not installed (Debian: rtpengine-daemon): no relay to compare with');
  if (hasKamailio()) {
    say(`${plan.calls} calls' signalling through kamailio`);
    const { cpuMs, completed } = await kamailioCpuPerCall(plan.calls, plan.rate);
    if (completed < plan.calls) say(`note: kamailio completed ${completed} of ${plan.calls}`);
    print(signallingReport(ours, cpuMs));
  } else say('kamailio is not installed (Debian: kamailio): no signalling to compare with');
}
if (wrong.length > 0) {
  process.stderr.write(`NOT RIGHT:\n${wrong.map((line) => `  ${line}\n`).join('')}`);
  process.exitCode = 1;
}
