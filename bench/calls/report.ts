/** The output of the benchmark: sentences and figures, the same in the terminal and in docs/figures.md. */
import type { Audio, CallsResult, RelayResult } from './measure.ts';
import type { Direction } from './probe.ts';

/** A listener starts to notice loss above this (ITU-T G.113: G.711 with concealment stays good at 1 %). */
export const AUDIBLE_LOSS = 0.01;

/** Linux truncates process names to 15 characters. */
export const WORKER = 'mediasoup-worke';

const ms = (value: number) => `${value.toFixed(1)} ms`;
export const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;

const lossOf = ({ lost, sent }: Direction) => lost / Math.max(1, sent);
export const worstLoss = ({ toAgent, toCaller }: Audio) => Math.max(lossOf(toAgent), lossOf(toCaller));
export const packetsOf = ({ toAgent, toCaller }: Audio) => toAgent.received + toCaller.received;

/** Correctness first: requirements without which the speed is meaningless. */
export function complaints(result: CallsResult): string[] {
  const { connected, asked, stillConnected, endedRight, events, toAgent, toCaller } = result;
  return [
    connected < asked && `only ${connected} of ${asked} calls were set up: ${result.failures.join('; ')}`,
    stillConnected < connected && `${connected - stillConnected} calls ended too early`,
    endedRight < connected &&
      `${connected - endedRight} calls did not end as expected: ${result.failures.join('; ')}`,
    toAgent.wrong + toCaller.wrong > 0 && `${toAgent.wrong + toCaller.wrong} packets carried another payload`,
    worstLoss(result) > AUDIBLE_LOSS && `${(worstLoss(result) * 100).toFixed(2)} % of the packets were lost`,
    events.created !== connected && `${events.created} call.created for ${connected} calls`,
    events.answered !== connected && `${events.answered} call.answered for ${connected} calls`,
    events.ended !== connected && `${events.ended} call.ended for ${connected} calls`,
    events.unsigned > 0 && `${events.unsigned} events were not signed correctly`,
  ].filter((complaint) => complaint !== false);
}

function audioRow(name: string, direction: Direction): string {
  const { sent, lost, wrong, delayMs, jitterMs } = direction;
  const loss = `${lost} of ${sent} (${(lossOf(direction) * 100).toFixed(3)} %)`;
  return `| ${name} | ${loss} | ${wrong} | ${ms(delayMs.p50)} | ${ms(delayMs.p99)} | ${ms(jitterMs)} |`;
}

export function callsReport(result: CallsResult): string {
  const packets = packetsOf(result);
  const names = Object.keys(result.memory).filter((name) => name !== 'generator');
  const mb = (name: string, of: CallsResult['memory']) => of[name]?.residentMb ?? 0;
  const rows = names.map((name) => {
    const cpu = result.talkCpu[name] ?? 0;
    const perCall = (cpu * 1000) / result.talkSeconds / Math.max(1, result.connected);
    const perPacket = ['media', WORKER].includes(name) ? ((cpu * 1e6) / Math.max(1, packets)).toFixed(1) : '';
    const memory = `${mb(name, result.memory).toFixed(0)} MB (+${(mb(name, result.memory) - mb(name, result.idleMemory)).toFixed(0)})`;
    return `| ${name === WORKER ? 'mediasoup-worker' : name} | ${perCall.toFixed(2)} | ${perPacket} | ${memory} |`;
  });
  return [
    `**${result.stillConnected} concurrent calls** with audio both ways for ${result.talkSeconds} s, of ${result.asked} requested.`,
    '',
    `INVITE to the agent's offer: p50 ${ms(quantile(result.offerMs, 0.5))}, p99 ${ms(quantile(result.offerMs, 0.99))}. ` +
      `INVITE to 200 (the agent accepts immediately): p50 ${ms(quantile(result.answerMs, 0.5))}, p99 ${ms(quantile(result.answerMs, 0.99))}.`,
    '',
    '| Audio | lost | wrong payload | delay p50 | delay p99 | jitter |',
    '|---|---|---|---|---|---|',
    audioRow('caller to agent', result.toAgent),
    audioRow('agent to caller', result.toCaller),
    '',
    '| Process | CPU ms per connected call and second | CPU µs per packet | memory (over idle) |',
    '|---|---|---|---|',
    ...rows,
    '',
    `The load itself took ${(((result.talkCpu.generator ?? 0) / result.talkSeconds) * 100).toFixed(0)} % of a core while the calls were connected.`,
  ].join('\n');
}

export function relayReport(ours: CallsResult, peer: RelayResult): string {
  const our =
    (((ours.talkCpu[WORKER] ?? 0) + (ours.talkCpu.media ?? 0)) * 1e6) / Math.max(1, packetsOf(ours));
  const their = (peer.talkCpu * 1e6) / Math.max(1, packetsOf(peer));
  return [
    '| Relay RTP ↔ SRTP (same callers, same agents) | CPU µs per packet | lost | delay p99 to agent |',
    '|---|---|---|---|',
    `| media and its worker | ${our.toFixed(1)} | ${(worstLoss(ours) * 100).toFixed(3)} % | ${ms(ours.toAgent.delayMs.p99)} |`,
    `| Debian's rtpengine | ${their.toFixed(1)} | ${(worstLoss(peer) * 100).toFixed(3)} % | ${ms(peer.toAgent.delayMs.p99)} |`,
    `| **ratio** | **${(our / their).toFixed(2)}** | | |`,
  ].join('\n');
}
