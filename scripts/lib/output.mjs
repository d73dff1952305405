/** The processes' output as a person reads it: one prefix per process, pino's JSON as a sentence. */
import { colour } from './log.mjs';

const COLOURS = { postgres: colour.dim, sip: colour.magenta, media: colour.cyan, realtime: colour.green };
const MORE_COLOURS = { carrier: colour.magenta, worker: colour.yellow, web: colour.blue };
const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity };
const NAMES = {
  10: 'trace',
  20: 'debug',
  30: '',
  40: colour.yellow('warning'),
  50: colour.red('error'),
  60: colour.red('fatal'),
};
const NAME_WIDTH = 8;
const ALREADY_SAID = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err', 'service', 'app']);

/** @param {string} logLevel lines below it are dropped (processes filter too; Postgres and Next do not know it) */
export function createOutput(logLevel, write = (line) => process.stdout.write(`${line}\n`)) {
  const threshold = LEVELS[logLevel] ?? LEVELS.info;
  return (name, line) => {
    const text = name === 'postgres' ? postgresLine(line, threshold) : appLine(line, threshold);
    if (text === undefined) return;
    const paint = COLOURS[name] ?? MORE_COLOURS[name] ?? colour.bold;
    write(`${paint(name.padEnd(NAME_WIDTH))} ${text}`);
  };
}

function appLine(line, threshold) {
  if (!line.startsWith('{')) return line;
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    return line;
  }
  if (typeof entry.msg !== 'string' && entry.level === undefined) return line;
  const level = typeof entry.level === 'number' ? entry.level : (LEVELS[entry.level] ?? LEVELS.info);
  if (level < threshold) return undefined;
  const fields = Object.entries(entry).flatMap(([key, value]) =>
    ALREADY_SAID.has(key) ? [] : [`${key}=${plain(value)}`],
  );
  const error = entry.err?.stack ?? entry.err?.message;
  return [NAMES[level] ?? '', entry.msg ?? '', colour.dim(fields.join(' ')), error ? `\n${error}` : '']
    .filter(Boolean)
    .join(' ');
}

const plain = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function postgresLine(line, threshold) {
  if (/(FATAL|PANIC):/.test(line)) return line;
  return threshold <= LEVELS.debug ? line : undefined;
}
