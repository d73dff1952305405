/** A service over HTTP/1.1. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { flatHeaders, serve } from './exchange.ts';
import type { Service } from './exchange.ts';

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

export async function startHttp1Server(service: Service, host: string, port: number): Promise<Listening> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const outcome = await serve(service, {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: flatHeaders(request.headers),
      body: Buffer.concat(chunks),
    });
    if (outcome === null) return;
    if (outcome === 'drop') {
      request.socket.destroy();
      return;
    }
    response.writeHead(outcome.status, { 'content-type': 'application/json', ...outcome.headers });
    response.end(outcome.body === undefined ? undefined : JSON.stringify(outcome.body));
  });
  server.on('clientError', (_, socket: Socket) => socket.destroy());
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
