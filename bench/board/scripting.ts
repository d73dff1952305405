/**
 * How long a page's scripts run per animation frame: Chromium's trace of the main thread, in CPU time of the thread, so that other load on
 * the machine does not count.
 */
import type { CDPSession, Page } from 'playwright-core';

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8', 'toplevel'];
/** Trace events that enter the page's own code. Nested events are part of them. */
const SCRIPTS = new Set([
  'FunctionCall',
  'EvaluateScript',
  'TimerFire',
  'FireAnimationFrame',
  'RunMicrotasks',
  'EventDispatch',
  'WebSocketReceive',
]);
const FRAME = 'FireAnimationFrame';

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds. */
  ts: number;
  dur?: number;
  /** The same in CPU time of the thread. */
  tdur?: number;
  args?: { name?: string };
}

export interface Scripting {
  frames: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The same in wall-clock time: what a user saw on this machine. */
  wallP99Ms: number;
  /** The share of the measured time in which scripts ran. */
  busyPercent: number;
  /** Chromium's long animation frames (over 50 ms of wall-clock time). */
  longFrames: number;
}

export async function measureScripting(page: Page, work: () => Promise<void>): Promise<Scripting> {
  const session = await page.context().newCDPSession(page);
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { longFrames: seen });
    new PerformanceObserver((list) =>
      seen.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      type: 'long-animation-frame',
    });
  });
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown[] as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES },
  });
  await work();
  await ended(session);
  const longFrames = await page.evaluate(
    () => (window as typeof window & { longFrames: number[] }).longFrames.length,
  );
  await session.detach();
  return { ...summary(events), longFrames };
}

async function ended(session: CDPSession): Promise<void> {
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await complete;
}

function summary(events: TraceEvent[]): Omit<Scripting, 'longFrames'> {
  const thread = busiestThread(events);
  const own = events
    .filter(({ ph, pid, tid, name }) => ph === 'X' && `${pid}/${tid}` === thread && SCRIPTS.has(name))
    .toSorted((a, b) => a.ts - b.ts);
  const frames: { cpu: number; wall: number }[] = [{ cpu: 0, wall: 0 }];
  let end = -Infinity;
  for (const event of own) {
    // Messages and timers count towards the frame that shows their changes: the one that begins after them.
    if (event.ts < end) continue;
    const wall = event.dur ?? 0;
    const frame = frames.at(-1);
    if (!frame) break;
    frame.cpu += event.tdur ?? wall;
    frame.wall += wall;
    end = event.ts + wall;
    if (event.name === FRAME) frames.push({ cpu: 0, wall: 0 });
  }
  const cpu = frames.map((frame) => frame.cpu / 1000).toSorted((a, b) => a - b);
  const wall = frames.map((frame) => frame.wall / 1000).toSorted((a, b) => a - b);
  const span = ((own.at(-1)?.ts ?? 0) - (own[0]?.ts ?? 0)) / 1000;
  return {
    frames: frames.length,
    p50Ms: quantile(cpu, 0.5),
    p99Ms: quantile(cpu, 0.99),
    maxMs: cpu.at(-1) ?? 0,
    wallP99Ms: quantile(wall, 0.99),
    busyPercent: (100 * cpu.reduce((sum, each) => sum + each, 0)) / Math.max(1, span),
  };
}

/** The main thread of the measured page's renderer: the busiest one during the measurement. */
function busiestThread(events: TraceEvent[]): string {
  const counts = new Map<string, number>();
  for (const { name, pid, tid } of events) {
    if (SCRIPTS.has(name)) counts.set(`${pid}/${tid}`, (counts.get(`${pid}/${tid}`) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}

const quantile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
