/** Parses a recorded transcript into the messages and frames that were sent, octet for octet. */
import { readFileSync } from 'node:fs';

interface At {
  /** Ms since the start of the recording. */
  readonly at: number;
}

interface OnConnection extends At {
  readonly conn: number;
}

/** A message between the server and a remote party. */
export interface SipEntry extends At {
  readonly kind: 'sip-in' | 'sip-out';
  readonly endpoint: string;
  readonly transport: 'UDP' | 'TCP';
  readonly text: string;
}

/** A frame to (`command`) or from (`frame`) the server. */
export interface FrameEntry extends OnConnection {
  readonly kind: 'command' | 'frame';
  readonly payload: string;
}

/** One thing that happened. */
export type Entry =
  | SipEntry
  | FrameEntry
  | (OnConnection & { readonly kind: 'open' | 'close' | 'closed' })
  | (OnConnection & { readonly kind: 'raw'; readonly text: string })
  | (At & { readonly kind: 'note'; readonly text: string });

export interface Transcript {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const HEAD = /^---- \S+ \(\+([\d.]+)s\) (.*)$/;
const CONN = /\[conn (\d+)\]/;
const SIP = /^SIP (in|out)\s+\((UDP|TCP), (?:server -> )?(.+?)(?: -> server)?, (\d+) bytes\)$/;

export function readTranscript(url: URL): Transcript {
  const lines = readFileSync(url, 'latin1').split('\n');
  const entries: Entry[] = [];
  let i = 0;
  while (i < lines.length) {
    const head = HEAD.exec(lines[i] ?? '');
    i++;
    if (head === null) continue;
    const body: string[] = [];
    while (i < lines.length && !HEAD.test(lines[i] ?? '')) body.push(lines[i++] ?? '');
    const entry = readEntry(Number(head[1]) * 1000, (head[2] ?? '').trim(), expand(body.join('\r\n')));
    if (entry !== null) entries.push(entry);
  }
  return { title: (lines[0] ?? '').replace(/^# /, ''), entries };
}

/** Expands abbreviated runs: `[8000 x p]`. */
function expand(text: string): string {
  return text.replace(/\[(\d+) x (.)\]/g, (_, count: string, char: string) => char.repeat(Number(count)));
}

function readEntry(at: number, head: string, body: string): Entry | null {
  const conn = Number(CONN.exec(head)?.[1] ?? 1);
  const kind = head.replace(CONN, '').trim();
  const sip = SIP.exec(kind);
  if (sip !== null) {
    const text = cut(body, Number(sip[4]));
    const transport = sip[2] === 'TCP' ? 'TCP' : 'UDP';
    return { kind: sip[1] === 'in' ? 'sip-in' : 'sip-out', at, endpoint: sip[3] ?? '', transport, text };
  }
  if (kind === '>>> app->server (unframed)') return { kind: 'raw', at, conn, text: body.trim() };
  if (kind === '>>> app->server' || kind === '<<< server->app') {
    const hash = body.indexOf('#');
    const payload = cut(body.slice(hash + 1), Number(body.slice(0, hash)));
    return { kind: kind.startsWith('>') ? 'command' : 'frame', at, conn, payload };
  }
  if (kind === 'TCP') {
    if (body.startsWith('app opened')) return { kind: 'open', at, conn };
    if (body.startsWith('app closed')) return { kind: 'close', at, conn };
    if (body.startsWith('server closed')) return { kind: 'closed', at, conn };
  }
  return kind === 'APP' ? { kind: 'note', at, text: body.trim() } : null;
}

/** The recording pads with line breaks; the recorded length tells how many belong to the message. */
function cut(body: string, length: number): string {
  if (body.length < length) return body + '\r\n\r\n'.slice(0, length - body.length);
  return body.slice(0, length);
}
