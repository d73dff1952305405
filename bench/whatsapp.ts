/**
 * CPU of WhatsApp calls in the media node: `npm run bench -- whatsapp [--calls 20] [--rounds 5] [--seconds 4]`. Customers of the simulator of
 * Meta's side (ICE-lite, DTLS, Opus) talk with browsers' ends, and wait with the hold tone, in turns. The customers run in this process.
 */
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { realMedia, type CustomerMedia } from '@clarion/meta-simulator';
import { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { cpuBetween, usageOf } from './calls/processes.ts';
import { hear, OurNode } from './media/our-node.ts';
import { spreadOf } from './media/rows.ts';

/** Audio runs this long before it is measured. */
const SETTLE_MS = 1_000;
const WORKER = 'mediasoup';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
  },
});
const plan = {
  calls: Number(values.calls),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
};

interface Call {
  callId: number;
  legId: string;
  customer: CustomerMedia;
  agent: WebRtcLeg;
}
interface Round {
  /** µs of CPU per packet that arrived. */
  node: number;
  worker: number;
}

async function connect(node: OurNode, callId: number): Promise<Call> {
  const legId = `customer-${callId}`;
  const customer = await realMedia()({ callId: legId, onEvent: () => undefined });
  customer.play({ kind: 'tone', hz: 440 });
  const sdpOffer = await customer.createOffer();
  const { sdpAnswer } = await node.realtime.command('whatsapp:answer', { callId, legId, sdpOffer });
  await customer.applyRemote(sdpAnswer);
  await node.realtime.command('whatsapp:open', { callId, legId });
  customer.open();
  await node.realtime.fact('leg:connected', legId);
  const agent = new WebRtcLeg('PCMU');
  const agentId = `agent-${callId}`;
  const reply = await node.realtime.command('agent:connect', {
    callId,
    legId: agentId,
    sdpOffer: await agent.offer(),
  });
  await agent.accept(reply.sdpAnswer);
  await node.realtime.fact('leg:connected', agentId);
  agent.sendTone(1_000);
  return { callId, legId, customer, agent };
}

const routes = {
  talking: ({ callId, legId }: Call) => ({
    [legId]: [hear(`agent-${callId}`)],
    [`agent-${callId}`]: [hear(legId)],
  }),
  waiting: ({ legId }: Call) => ({ [legId]: [{ kind: 'tone' as const, tone: 'hold' as const }] }),
};
type State = keyof typeof routes;

/** Packets of the customers and towards them: what a leg receives and sends. */
const packetsOf = (calls: readonly Call[]): number =>
  calls.reduce((sum, { customer }) => {
    const { packetsSent, packetsReceived } = customer.counters();
    return sum + packetsSent + packetsReceived;
  }, 0);

async function measure(node: OurNode, calls: readonly Call[], state: State): Promise<Round> {
  for (const call of calls) await node.route(call.callId, routes[state](call));
  await sleep(SETTLE_MS);
  const usage = () => usageOf({ node: node.pid }, [WORKER]);
  const before = usage();
  const packetsBefore = packetsOf(calls);
  await sleep(plan.seconds * 1_000);
  const cpu = cpuBetween(before, usage());
  const packets = packetsOf(calls) - packetsBefore;
  const perPacket = (seconds = Number.NaN) => (seconds * 1e6) / packets;
  return { node: perPacket(cpu['node']), worker: perPacket(cpu[WORKER]) };
}

const figures = (of: readonly number[]): string => {
  const { median, lowest, highest } = spreadOf(of);
  return `${median.toFixed(0)} (${lowest.toFixed(0)} to ${highest.toFixed(0)})`;
};

const node = await OurNode.start('whatsapp', {
  local: false,
  env: { CLARION_PRODUCTION: '0', CLARION_ALLOW_PRIVATE_EGRESS: '1' },
});
const calls: Call[] = [];
const rounds: Record<State, Round[]> = { talking: [], waiting: [] };
try {
  for (let callId = 1; callId <= plan.calls; callId += 1) calls.push(await connect(node, callId));
  for (let round = 1; round <= plan.rounds; round += 1)
    for (const state of ['talking', 'waiting'] as const) {
      const figure = await measure(node, calls, state);
      rounds[state].push(figure);
      process.stderr.write(
        `… round ${round}, ${state}: ${figure.node.toFixed(0)} + ${figure.worker.toFixed(0)} µs\n`,
      );
    }
} finally {
  for (const { customer, agent } of calls) {
    agent.close();
    await customer.close();
  }
  await node.stop();
}
const line = (state: State, name: string) =>
  `| ${name} | ${figures(rounds[state].map((round) => round.node))} | ${figures(rounds[state].map((round) => round.worker))} |`;
process.stdout.write(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ` +
    `load ${loadavg()[0]?.toFixed(1)}, ${plan.calls} calls\n\n` +
    `| µs of CPU per packet of a customer's leg | node | mediasoup |\n|---|---|---|\n` +
    `${line('talking', 'talking with an agent')}\n${line('waiting', 'waiting, with the hold tone')}\n`,
  // libdatachannel would keep the process for minutes.
  () => process.exit(),
);
