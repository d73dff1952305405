/**
 * What the host of a virtual machine gives to others (`steal` in /proc/stat): while it takes much, audio in real time is not to be
 * had, and a test of it says nothing. Always nothing where there is no /proc.
 */
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 1000;
/** Columns of the line `cpu`: user nice system idle iowait irq softirq steal (proc(5)). */
const IDLE = 3;
const IO_WAIT = 4;
const STEAL = 7;

/** Begins to watch; `readStat` gives the text of /proc/stat. */
export function watchHost(readStat = () => readFileSync('/proc/stat', 'utf8')) {
  const samples = [];
  const sample = () => samples.push({ at: Date.now(), ...processorTimes(readStat) });
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    /** Share (0 … 1) of the processor time wanted between two moments (ms since the epoch) that the host gave to others. */
    stolenShare(from, to) {
      sample();
      const first = samples.findLast(({ at }) => at <= from) ?? samples[0];
      const last = samples.find(({ at }) => at >= to) ?? samples.at(-1);
      const wanted = last.wanted - first.wanted;
      return wanted > 0 ? (last.stolen - first.stolen) / wanted : 0;
    },
    stop: () => clearInterval(timer),
  };
}

/** Since the start of the machine, in ticks. Wanted is what was used and what was stolen. */
function processorTimes(readStat) {
  let line;
  try {
    [line] = readStat().split('\n', 1);
  } catch {
    return { stolen: 0, wanted: 0 };
  }
  const ticks = line
    .trim()
    .split(/\s+/)
    .slice(1, STEAL + 2)
    .map(Number);
  const idle = ticks[IDLE] + ticks[IO_WAIT];
  return { stolen: ticks[STEAL] ?? 0, wanted: ticks.reduce((sum, each) => sum + each, 0) - idle };
}
