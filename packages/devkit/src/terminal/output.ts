/** Makes the output of the processes readable: shows the name of the process, then the message and fields of pino's JSON. */
import { colour, type Paint } from './log.ts';

const COLOURS: Record<string, Paint> = {
  postgres: colour.dim,
  sip: colour.magenta,
  carrier: colour.magenta,
  media: colour.cyan,
  realtime: colour.green,
  worker: colour.yellow,
  web: colour.blue,
  whatsapp: colour.green,
};
const INFO = 30;
const DEBUG = 20;
const LEVELS: Record<string, number> = {
  trace: 10,
  debug: DEBUG,
  info: INFO,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Infinity,
};
const LEVEL_NAMES: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: '',
  40: colour.yellow('warning'),
  50: colour.red('error'),
  60: colour.red('fatal'),
};
const NAME_WIDTH = 8;
/** Fields that are shown in another way or are meaningless on a single machine. */
const OMITTED = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err', 'service', 'app']);

interface LogEntry {
  msg?: unknown;
  level?: number | string;
  err?: { stack?: string; message?: string };
}

/** Lines below `logLevel` are dropped. The processes filter by it too, except PostgreSQL and Next.js, which do not support it. */
export function createOutput(
  logLevel: string | undefined,
  write: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): (name: string, line: string) => void {
  const threshold = LEVELS[logLevel ?? 'info'] ?? INFO;
  return (name, line) => {
    const text = name === 'postgres' ? postgresLine(line, threshold) : appLine(line, threshold);
    if (text === undefined) return;
    const paint = COLOURS[name] ?? colour.bold;
    write(`${paint(name.padEnd(NAME_WIDTH))} ${text}`);
  };
}

function appLine(line: string, threshold: number): string | undefined {
  const entry = parseEntry(line);
  if (entry === undefined) return line;
  const level = typeof entry.level === 'number' ? entry.level : (LEVELS[entry.level ?? 'info'] ?? INFO);
  if (level < threshold) return undefined;
  const fields = Object.entries(entry).flatMap(([key, value]) =>
    OMITTED.has(key) ? [] : [`${key}=${plain(value)}`],
  );
  const error = entry.err?.stack ?? entry.err?.message;
  return [LEVEL_NAMES[level], entry.msg, colour.dim(fields.join(' ')), error ? `\n${error}` : '']
    .filter(Boolean)
    .join(' ');
}

/** Parses a line of pino; undefined if it is something else. */
function parseEntry(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(line) as LogEntry;
    return typeof entry.msg === 'string' || entry.level !== undefined ? entry : undefined;
  } catch {
    return undefined;
  }
}

const plain = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function postgresLine(line: string, threshold: number): string | undefined {
  if (/(FATAL|PANIC):/.test(line)) return line;
  return threshold <= DEBUG ? line : undefined;
}
