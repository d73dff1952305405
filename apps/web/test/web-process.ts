/**
 * A web process that can be killed: the real handler of `createCall` behind an HTTP server, in a separate process. Prints its port
 * when it listens.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { handlers } from '../app/v1/handlers.ts';

const server = createServer((incoming, outgoing) => {
  const sent: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
    body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
    duplex: 'half',
  };
  const request = new Request(`http://localhost${incoming.url}`, sent);
  void handlers.createCall(request).then(async (answer) => {
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
