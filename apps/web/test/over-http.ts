/** The real handlers behind an HTTP server, with simulated network failures. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName } from '@clarion/protocol/v1/registry';
import { handlers } from '../app/v1/handlers.ts';

/** `lost`: the handler runs and its response is cut off. `unheard`: the request never reaches the handler. */
export type Mishap = 'lost' | 'unheard' | null;

export interface Served {
  url: string;
  /** Endpoint names in the order in which requests came. */
  requests: EndpointName[];
  /** The failures of the next requests, one each; then there are none. */
  mishaps: Mishap[];
  stop(): Promise<void>;
}

const routes = Object.entries<EndpointDefinition>(registry).map(([name, { method, path }]) => ({
  // The registry's keys are its names.
  name: name as EndpointName,
  method,
  path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

export async function serveHandlers(): Promise<Served> {
  const served: Served = { url: '', requests: [], mishaps: [], stop };
  const server = createServer((incoming, outgoing) => {
    answer(served, incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return served;

  async function stop() {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

async function answer(served: Served, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const address = new URL(incoming.url ?? '/', served.url);
  const route = routes.find(({ method, path }) => method === incoming.method && path.test(address.pathname));
  if (!route) {
    outgoing.writeHead(404).end('Not found');
    return;
  }
  served.requests.push(route.name);
  const mishap = served.mishaps.shift() ?? null;
  const body = await buffer(incoming);
  if (mishap === 'unheard') {
    incoming.socket.destroy();
    return;
  }
  const response = await handlers[route.name](
    new Request(address, {
      method: route.method,
      headers: Object.entries(incoming.headers).map(([key, value]): [string, string] => [key, String(value)]),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    }),
  );
  const content = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (mishap === 'lost') {
    outgoing.write(content.subarray(0, content.length / 2), () => incoming.socket.destroy());
  } else {
    outgoing.end(content);
  }
}
