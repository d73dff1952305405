/**
 * The HTTP server of the web process. It forwards the agents' sockets itself and gives every other request to Next, which takes about a
 * second to start: sockets do not wait for it.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { namePeer } from '../api/client-address.ts';
import { makePathReadable } from '../api/readable-path.ts';
import { isSocketPath } from './forward-sockets.ts';
import type { SocketForwarder } from './forward-sockets.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface WebServerOptions {
  sockets: SocketForwarder;
  /** Requests wait until it resolves. */
  pages: Promise<RequestHandler>;
  /** A request that Next could not handle; it is answered with 500. */
  onError: (error: unknown) => void;
  /** Next's hot reload, in development only. Returns whether Next handles the upgrade. */
  hotReload?: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
}

/** Next's own paths, of which the hot reload is one. */
const NEXT_PATH = /^\/_next\//;

export function createWebServer({ sockets, pages, onError, hotReload }: WebServerOptions): Server {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const handle = await pages;
      await handle(request, response);
    } catch (error) {
      onError(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end('Internal Server Error');
    }
  };
  // Java's HTTP client offers h2c with every request to a plain address: such a request is answered like any other.
  const shouldUpgradeCallback = ({ headers }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket';
  const server = createServer({ shouldUpgradeCallback }, (request, response) => {
    namePeer(request, request.socket);
    if (isSocketPath(pathOf(request))) return sockets.request(request, response);
    makePathReadable(request);
    void serve(request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const path = pathOf(request);
    if (socket instanceof Socket && isSocketPath(path)) {
      namePeer(request, socket);
      sockets.upgrade(request, socket, head);
    } else if (!NEXT_PATH.test(path) || hotReload?.(request, socket, head) !== true) {
      // It would stay open, and use memory, for as long as the client likes.
      socket.destroy();
    }
  });
  return server;
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';
