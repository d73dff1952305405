/** A service over HTTP/1.1. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { flatHeaders, serve } from './exchange.ts';
import type { Service } from './exchange.ts';

/** How many connections were open at the same time, at most. */
export interface Http1Connections {
  mostOpen: number;
}

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

export async function startHttp1Server(
  service: Service,
  connections: Http1Connections,
  host: string,
  port: number,
): Promise<Listening> {
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
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    connections.mostOpen = Math.max(connections.mostOpen, open);
    socket.on('close', () => (open -= 1));
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
