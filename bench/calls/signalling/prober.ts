/**
 * Measures how long a refusal takes for a caller that is itself not busy: a separate process of the highest priority, which sends few
 * INVITEs. The load process competes with the service for the same processors, so what it measures contains its own delay. Its parent's side
 * is prober-process.ts.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { SipPhone } from '@clarion/test-phone/sip/phone';

export interface ProbeOrder {
  number: string;
  sip: { host: string; port: number };
}

export interface ProbeResult {
  /** Each INVITE that was refused: from sending it to the final response. */
  refusedMs: number[];
  /** Callers that were refused, as stored with a call. */
  refused: string[];
  /** INVITEs that got another response. The prober cancels them. */
  accepted: number;
  /** 99th percentile of how late the prober itself was. */
  ownDelayMs: number;
  /** False: the operating system did not allow the higher priority. */
  prioritized: boolean;
}

const PER_SECOND = 20;
const CALLER_PREFIX = '4416328';
const RESOLUTION_MS = 1;
const FINAL_RESPONSE_TIMEOUT_MS = 40_000;

function prioritize(): boolean {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
    // A nice value counts only within the session (sched(7), autogroup). This process has one of its own.
    writeFileSync('/proc/self/autogroup', String(constants.priority.PRIORITY_HIGHEST));
    return true;
  } catch {
    return false;
  }
}

async function probe({ number, sip }: ProbeOrder, stopped: AbortSignal): Promise<ProbeResult> {
  const prioritized = prioritize();
  const phone = await SipPhone.open({ laws: ['PCMA'] });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const result = { refusedMs: [] as number[], refused: [] as string[], accepted: 0 };
  const one = async (index: number) => {
    const from = `${CALLER_PREFIX}${String(index).padStart(5, '0')}`;
    const call = await phone.call(number, sip, { from });
    await call.until(() => call.state !== 'calling', 'a response', FINAL_RESPONSE_TIMEOUT_MS);
    if (call.state !== 'ended') await call.hangUp();
    if (call.end?.how === 'refused') {
      result.refusedMs.push((call.times.ended ?? Infinity) - call.times.invite);
      result.refused.push(`+${from}`);
    } else result.accepted += 1;
    phone.forget(call);
  };
  const probes: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let index = 0; !stopped.aborted; index += 1) {
    probes.push(one(index));
    await sleep(Math.max(0, startedAt + ((index + 1) * 1000) / PER_SECOND - performance.now()));
  }
  await Promise.all(probes);
  phone.close();
  const ownDelayMs = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
  return { ...result, ownDelayMs, prioritized };
}

const stop = new AbortController();
process.on('message', (order: ProbeOrder | 'stop') => {
  if (order === 'stop') return stop.abort();
  probe(order, stop.signal).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: unknown) => {
      process.stderr.write(`prober: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
});
