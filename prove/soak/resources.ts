/** The resources of each process: memory, open files, and its own gauges. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TestStack } from '@clarion/testkit/stack/stack';
import type { ProcessName } from '@clarion/devkit/stack/stack';

export interface Holding {
  pid: number;
  /** Of the process and its children (media's worker). */
  rssMb: number;
  files: number;
}
export type Holdings = Map<ProcessName, Holding>;

const PAGE_MB = 4096 / 2 ** 20;

export function holdings(t: TestStack): Holdings {
  const parents = parentsOfAll();
  const found: Holdings = new Map();
  for (const [name, { pid }] of Object.entries(t.stack.processes) as [ProcessName, { pid?: number }][]) {
    if (pid === undefined || name === 'postgres') continue;
    const all = withChildren(pid, parents);
    found.set(name, { pid, rssMb: sum(all.map(rssOf)), files: sum(all.map(filesOf)) });
  }
  return found;
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

function parentsOfAll(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    // The command in parentheses may contain anything; the fields after the last parenthesis are fixed.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    parents.set(Number(name), Number(fields[1]));
  }
  return parents;
}

function withChildren(pid: number, parents: Map<number, number>): number[] {
  const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
  return [pid, ...children.flatMap((child) => withChildren(child, parents))];
}

const rssOf = (pid: number) => Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * PAGE_MB;

const filesOf = (pid: number) => opened(pid).length;

/** O_CLOEXEC, in octal (open(2)). */
const CLOSED_ON_EXEC = 0o2000000;

/**
 * The files that a process has opened itself. Node and mediasoup open all files with close-on-exec; others were inherited, like the sockets
 * of our WebRTC legs: node-datachannel leaves them open to child processes.
 */
const opened = (pid: number) =>
  listOf(`/proc/${pid}/fd`).filter((fd) => {
    const flags = /^flags:\s+(\d+)/m.exec(read(`/proc/${pid}/fdinfo/${fd}`))?.[1] ?? '0';
    return (parseInt(flags, 8) & CLOSED_ON_EXEC) !== 0;
  });

/** The open files of a process by kind: sockets, pipes, files by directory. For investigating growth. */
export function openKinds(pid: number): Map<string, number> {
  const kinds = withChildren(pid, parentsOfAll()).flatMap((each) =>
    opened(each).map((fd) => kindOf(`/proc/${each}/fd/${fd}`)),
  );
  return new Map([...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]));
}

function kindOf(link: string): string {
  try {
    const target = readlinkSync(link);
    return /^(\w+):/.exec(target)?.[1] ?? dirname(target);
  } catch {
    return 'gone';
  }
}

function listOf(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return []; // the process has ended
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The slope of a line through the samples, MB per hour (least squares); 0 for fewer than three. */
export function slopePerHour(samples: readonly { at: number; rssMb: number }[]): number {
  if (samples.length < 3) return 0;
  const hours = samples.map(({ at }) => at / 3_600_000);
  const x = sum(hours) / hours.length;
  const y = sum(samples.map(({ rssMb }) => rssMb)) / samples.length;
  const over = sum(samples.map(({ rssMb }, i) => ((hours[i] ?? 0) - x) * (rssMb - y)));
  const under = sum(hours.map((hour) => (hour - x) ** 2));
  return under === 0 ? 0 : over / under;
}

/** A gauge from a process's /metrics; null if there is none with that name. */
export async function gauge(port: number, name: string): Promise<number | null> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
