/** Probes that show whether a process works. None of them rejects. */
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

const HTTP_TIMEOUT_MS = 2_000;
const PROBE_TIMEOUT_MS = 1_000;

/** Whether `GET url` succeeds. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HTTP_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Whether an OPTIONS request gets any response (RFC 3261, section 11). */
export function answersSip(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const finish = (answer: boolean) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => finish(false), PROBE_TIMEOUT_MS);
    socket.once('error', () => finish(false));
    socket.once('message', () => finish(true));
    socket.bind(0, host, () => {
      const own = `${host}:${socket.address().port}`;
      const id = randomUUID();
      const lines = [
        `OPTIONS sip:${host}:${port} SIP/2.0`,
        `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${id};rport`,
        `From: <sip:probe@${own}>;tag=${id}`,
        `To: <sip:${host}:${port}>`,
        `Call-ID: ${id}`,
        'CSeq: 1 OPTIONS',
        'Max-Forwards: 1',
        'Content-Length: 0',
      ];
      socket.send(`${lines.join('\r\n')}\r\n\r\n`, port, host);
    });
  });
}

export function acceptsConnections(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('connect', () => finish(true));
  });
}
