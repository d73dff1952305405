/**
 * A consumer's endpoint in a separate process: responds 200 immediately, keeps connections. It reads HTTP/1.1 itself, as far as the requests
 * of the bench need it, because on a shared machine the time of a complete HTTP server would be measured as the sender's. Its parent requests
 * over IPC what has arrived since the last request.
 */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** One in this many signatures is verified, because the receiver's work is not what is measured. */
const VERIFY_EVERY = 50;
const OK = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'latin1');

const [secret = ''] = process.argv.slice(2);
let ids = new Set<string>();
let requests = 0;
let badSignatures = 0;

/** The value of a header; all is in lower case, which changes none of those that are read. */
function header(head: string, name: string): string {
  const at = head.indexOf(`\r\n${name}: `);
  if (at < 0) return '';
  const start = at + name.length + 4;
  const end = head.indexOf('\r\n', start);
  return head.slice(start, end < 0 ? undefined : end);
}

function receive(head: string, body: Buffer): void {
  requests += 1;
  ids.add(header(head, 'webhook-id'));
  if (requests % VERIFY_EVERY !== 0) return;
  const [t = '', v1 = ''] = header(head, 'x-clarion-signature')
    .split(',')
    .map((part) => part.slice(part.indexOf('=') + 1));
  const signed = `${t}.${body.toString('utf8')}`;
  if (createHmac('sha256', secret).update(signed).digest('hex') !== v1) badSignatures += 1;
}

function serve(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (;;) {
      const headEnd = rest.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = rest.toString('latin1', 0, headEnd).toLowerCase();
      const end = headEnd + 4 + Number(header(head, 'content-length'));
      if (rest.length < end) return;
      receive(head, rest.subarray(headEnd + 4, end));
      rest = rest.subarray(end);
      socket.write(OK);
    }
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  process.send?.({ unique: ids.size, requests, badSignatures });
  ids = new Set();
  requests = 0;
  badSignatures = 0;
});
process.on('disconnect', () => process.exit(0));
