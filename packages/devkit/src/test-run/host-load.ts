/**
 * Processor time that the host of a virtual machine gives to other machines (`steal` in /proc/stat). While it is high, audio cannot be
 * processed in real time, and a failed audio test is meaningless. Without /proc, it is always 0.
 */
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 1000;
/** Columns of the line `cpu`: user nice system idle iowait irq softirq steal (proc(5)). */
const IDLE = 3;
const IO_WAIT = 4;
const STEAL = 7;

export interface HostWatch {
  /** Share (0 to 1) of the processor time wanted between two moments (ms since the epoch) that the host gave to other machines. */
  stolenShare(from: number, to: number): number;
  stop(): void;
}

interface ProcessorTimes {
  /** In ticks since the start of the machine, like `wanted`. */
  stolen: number;
  /** The sum of used and stolen time. */
  wanted: number;
}

/** Starts sampling; `readStat` returns the text of /proc/stat. */
export function watchHost(readStat: () => string = () => readFileSync('/proc/stat', 'utf8')): HostWatch {
  const samples: (ProcessorTimes & { at: number })[] = [];
  const sample = () => samples.push({ at: Date.now(), ...processorTimes(readStat) });
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stolenShare(from, to) {
      sample();
      const first = samples.findLast(({ at }) => at <= from) ?? samples[0];
      const last = samples.find(({ at }) => at >= to) ?? samples.at(-1);
      if (!first || !last) return 0;
      const wanted = last.wanted - first.wanted;
      return wanted > 0 ? (last.stolen - first.stolen) / wanted : 0;
    },
    stop: () => clearInterval(timer),
  };
}

function processorTimes(readStat: () => string): ProcessorTimes {
  let line = '';
  try {
    [line = ''] = readStat().split('\n', 1);
  } catch {
    return { stolen: 0, wanted: 0 };
  }
  const ticks = line
    .trim()
    .split(/\s+/)
    .slice(1, STEAL + 2)
    .map(Number);
  const idle = (ticks[IDLE] ?? 0) + (ticks[IO_WAIT] ?? 0);
  return { stolen: ticks[STEAL] ?? 0, wanted: ticks.reduce((sum, each) => sum + each, 0) - idle };
}
