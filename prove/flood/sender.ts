/**
 * A process that floods a SIP server from many loopback addresses, so that its work does not disturb the measurement: prove/flood/run.ts
 * starts it. Arguments: a `FloodOrder` as JSON. Prints how many datagrams it has sent.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FloodOrder {
  port: number;
  sources: number;
  perSecond: number;
  seconds: number;
}

const HOST = '127.0.0.1';
const TICK_MS = 10;
/** What internet scanners send; INVITEs cost most. */
const METHODS = ['INVITE', 'INVITE', 'INVITE', 'OPTIONS', 'REGISTER'] as const;
const SDP =
  'v=0\r\no=- 1 1 IN IP4 127.0.0.9\r\ns=-\r\nc=IN IP4 127.0.0.9\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8 0\r\n';

function requestOf(index: number, address: string): string {
  const method = METHODS[index % METHODS.length] ?? 'INVITE';
  const body = method === 'INVITE' ? SDP : '';
  const uri = `sip:${1000 + (index % 9000)}@${HOST}`;
  return [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP ${address}:5060;branch=z9hG4bKflood${index};rport`,
    `From: <sip:${100 + (index % 900)}@${address}>;tag=f${index}`,
    `To: <${uri}>`,
    `Call-ID: flood-${index}@${address}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:scanner@${address}>`,
    'Max-Forwards: 70',
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

async function open(index: number): Promise<{ socket: Socket; address: string }> {
  const address = `127.0.16.${index + 1}`;
  const socket = createSocket('udp4');
  socket.on('error', () => undefined);
  socket.bind(0, address);
  await once(socket, 'listening');
  return { socket, address };
}

const order = JSON.parse(process.argv[2] ?? '{}') as FloodOrder;
const senders = await Promise.all(Array.from({ length: order.sources }, (_, index) => open(index)));
const started = performance.now();
const total = order.perSecond * order.seconds;
let sent = 0;
while (sent < total) {
  const due = Math.min(total, ((performance.now() - started) / 1000) * order.perSecond);
  for (; sent < due; sent += 1) {
    const sender = senders[sent % senders.length];
    sender?.socket.send(requestOf(sent, sender.address), order.port, HOST);
  }
  await sleep(TICK_MS);
}
const seconds = (performance.now() - started) / 1000;
for (const { socket } of senders) socket.close();
process.stdout.write(`${JSON.stringify({ sent, seconds })}\n`);
