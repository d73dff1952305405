/**
 * What a SIP transaction and a call cost: INVITEs answered 404, and whole calls, through our gateway and media node and through kamailio in
 * the same run.
 */
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hasKamailio } from '@clarion/testkit/peers/kamailio';
import { cpuBetween, usageOf } from './calls/processes.ts';
import { startProxy } from './sip/proxy.ts';
import { startService } from './sip/service.ts';
import { placeCalls, type Scenario } from './sip/sipp.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '3000' },
    /** Before the measurement: code is compiled, and tables have their size. */
    'warm-up': { type: 'string', default: '1000' },
    /** Node flags for our processes, such as --cpu-prof. */
    flags: { type: 'string', default: '' },
  },
});
const CALLS = Number(values.calls);
const WARM_UP = Number(values['warm-up']);
const IDLE_SECONDS = 2;
const SCENARIOS: readonly { scenario: Scenario; what: string }[] = [
  { scenario: 'not-found', what: 'INVITE answered 404' },
  { scenario: 'call', what: 'whole call' },
];
const say = (line: string) => process.stderr.write(`… ${line}\n`);

interface Measured {
  perSecond: number;
  /** CPU milliseconds per call, by process. */
  cpuMs: Record<string, number>;
}

async function measure(
  scenario: Scenario,
  port: number,
  pids: Record<string, number | undefined>,
): Promise<Measured> {
  await placeCalls(scenario, port, WARM_UP);
  await sleep(500);
  const idleFrom = usageOf(pids);
  await sleep(IDLE_SECONDS * 1000);
  const before = usageOf(pids);
  const seconds = await placeCalls(scenario, port, CALLS);
  const used = cpuBetween(before, usageOf(pids));
  const idle = cpuBetween(idleFrom, before);
  const ofCall = (name: string) =>
    ((used[name] ?? 0) - ((idle[name] ?? 0) / IDLE_SECONDS) * seconds) * (1000 / CALLS);
  return {
    perSecond: CALLS / seconds,
    cpuMs: Object.fromEntries(Object.keys(used).map((name) => [name, ofCall(name)])),
  };
}

const service = await startService(values.flags.split(' ').filter(Boolean));
const rows: string[] = [];
try {
  for (const { scenario, what } of SCENARIOS) {
    say(`${CALLS} × ${what}`);
    service.accepts = scenario === 'call';
    const ours = await measure(scenario, service.sipPort, service.pids);
    const { gateway = 0, media = 0 } = ours.cpuMs;
    const peer = hasKamailio ? await throughProxy(scenario) : null;
    const theirs = peer?.cpuMs['kamailio'] ?? Number.NaN;
    rows.push(
      `| ${what} | ${ours.perSecond.toFixed(0)} | ${gateway.toFixed(2)} + ${media.toFixed(2)} ms | ` +
        `${peer?.perSecond.toFixed(0) ?? '-'} | ${theirs.toFixed(2)} ms | ${(gateway / theirs).toFixed(1)} | ${((gateway + media) / theirs).toFixed(1)} |`,
    );
  }
} finally {
  await service.stop();
}

async function throughProxy(scenario: Scenario): Promise<Measured> {
  const proxy = await startProxy({ notFound: scenario === 'not-found' });
  try {
    return await measure(scenario, proxy.port, { kamailio: proxy.pid });
  } finally {
    await proxy.stop();
  }
}

const load = loadavg()[0]?.toFixed(1);
process.stdout
  .write(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, load average ${load}

| | ours, per second | CPU of gateway + media | kamailio, per second | CPU of kamailio | gateway ÷ kamailio | both ÷ kamailio |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`);
process.exit();
