/** CPU time and memory of a process and its children, from /proc (proc(5)). */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

export interface Usage {
  /** User and system time so far, seconds. */
  cpuSeconds: number;
  residentMb: number;
}

interface Entry {
  pid: number;
  parent: number;
  name: string;
  cpuSeconds: number;
}

function read(pid: number): Entry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and both of the children that have ended, because database connections come and go.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid, parent: Number(fields[1]), name, cpuSeconds: ticks / TICKS_PER_SECOND };
  } catch {
    return null; // the process has ended
  }
}

function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The process with all its descendants. `split` counts descendants with that name separately. */
export function usageOf(
  roots: Record<string, number | undefined>,
  split: string[] = [],
): Record<string, Usage> {
  const entries = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => read(Number(name)))
    .filter((entry) => entry !== null);
  const byParent = Map.groupBy(entries, (entry) => entry.parent);
  const usages: Record<string, Usage> = {};
  const add = (label: string, entry: Entry) => {
    const own = split.find((name) => entry.name.startsWith(name)) ?? label;
    const usage = (usages[own] ??= { cpuSeconds: 0, residentMb: 0 });
    usage.cpuSeconds += entry.cpuSeconds;
    usage.residentMb += residentMb(entry.pid);
    for (const child of byParent.get(entry.pid) ?? []) add(own, child);
  };
  for (const [label, pid] of Object.entries(roots)) {
    const entry = entries.find((each) => each.pid === pid);
    if (entry) add(label, entry);
  }
  return usages;
}

/**
 * CPU milliseconds so far of a process and its descendants, exact to nanoseconds, while the ticks of `usageOf` are rounded down for each process.
 * Threads and processes that have ended are not included.
 */
export function cpuMsOfTree(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  return threads.reduce((sum, thread) => {
    const [nanoseconds = ''] = readFileSync(`${thread}/schedstat`, 'utf8').split(' ');
    const children = readFileSync(`${thread}/children`, 'utf8').split(' ').filter(Boolean);
    return (
      sum + Number(nanoseconds) / 1e6 + children.reduce((ms, child) => ms + cpuMsOfTree(Number(child)), 0)
    );
  }, 0);
}

/** CPU seconds used between two readings. */
export function cpuBetween(
  before: Record<string, Usage>,
  after: Record<string, Usage>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).map(([name, usage]) => [name, usage.cpuSeconds - (before[name]?.cpuSeconds ?? 0)]),
  );
}
