/**
 * A consumer's endpoint in a separate process: Node's HTTP server, responds 200 immediately, keeps connections. Its parent requests over
 * IPC what has arrived since the last request.
 */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One in this many signatures is verified, because the receiver's work is not what is measured. */
const VERIFY_EVERY = 50;

const [secret = ''] = process.argv.slice(2);
let ids = new Set<string>();
let requests = 0;
let badSignatures = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    requests += 1;
    ids.add(String(request.headers['webhook-id']));
    if (requests % VERIFY_EVERY === 0) {
      const [t = '', v1 = ''] = String(request.headers['x-clarion-signature'])
        .split(',')
        .map((part) => part.slice(part.indexOf('=') + 1));
      const body = Buffer.concat(chunks).toString('utf8');
      if (createHmac('sha256', secret).update(`${t}.${body}`).digest('hex') !== v1) badSignatures += 1;
    }
    response.writeHead(200).end();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  process.send?.({ unique: ids.size, requests, badSignatures });
  ids = new Set();
  requests = 0;
  badSignatures = 0;
});
process.on('disconnect', () => process.exit(0));
