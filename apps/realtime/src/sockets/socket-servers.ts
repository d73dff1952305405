/**
 * The two socket.io servers of the port: a public one for people (agents, dashboard users), and one for media nodes, which accepts far
 * larger messages and requires the secret.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { SecretBox } from '@clarion/core/security/secret-box';
import { mediaAuthorization, mediaSocketPath } from '@clarion/protocol/media';
import { MAX_SOCKET_MESSAGE_BYTES } from '@clarion/protocol/socket';
import { Server } from 'socket.io';
import type { ServerOptions, Socket } from 'socket.io';
import type { LimitedWarnings } from '../lib/limited-warnings.ts';
import { boundedParser } from './bounded-parser.ts';
import { Unauthenticated } from './unauthenticated.ts';

export const SOCKET_PATH = '/socket.io';
/** Above the limit of an agent's message, so that a slightly larger one still gets an error response. */
const MAX_PEOPLE_MESSAGE_BYTES = 2 * MAX_SOCKET_MESSAGE_BYTES;
/** The largest message of all is a media node's list of legs. */
const MAX_MEDIA_MESSAGE_BYTES = 4 * 1024 * 1024;
/** A lost connection is detected within interval + timeout, well within the agent's grace period of 30 s. */
const PING_INTERVAL_MS = 5_000;
const PING_TIMEOUT_MS = 7_000;
/** A connection that has not joined a namespace by then is closed. */
const CONNECT_TIMEOUT_MS = 10_000;

/** An event has a name and a payload; the largest payload is a session description, which is one value. */
const PEOPLE_LIMITS = { arguments: 4, depth: 20, values: 2_000 };
/** A list of legs may contain as many values as fit into its bytes. */
const MEDIA_LIMITS = { arguments: 4, depth: 20, values: Number.POSITIVE_INFINITY };

const common = {
  addTrailingSlash: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  // http.ts closes upgrades of other paths immediately.
  destroyUpgrade: false,
  pingInterval: PING_INTERVAL_MS,
  pingTimeout: PING_TIMEOUT_MS,
  serveClient: false,
} satisfies Partial<ServerOptions>;

export interface SocketServers {
  people: Server;
  media: Server;
}

export function createSocketServers(
  http: HttpServer,
  { mediaSecret, ...context }: { mediaSecret: string; secrets: SecretBox; warnings: LimitedWarnings },
): SocketServers {
  return { people: peopleServer(http, context), media: mediaServer(http, mediaSecret, context.warnings) };
}

function peopleServer(http: HttpServer, context: { secrets: SecretBox; warnings: LimitedWarnings }): Server {
  const unauthenticated = new Unauthenticated(context);
  const io = new Server(http, {
    ...common,
    path: SOCKET_PATH,
    maxHttpBufferSize: MAX_PEOPLE_MESSAGE_BYTES,
    parser: boundedParser(PEOPLE_LIMITS),
    allowRequest: (request, decide) => decide(null, unauthenticated.allows(request)),
    cors: { origin: true },
  });
  refuseDefaultNamespace(io);
  io.engine.on('connection', (connection: Socket['conn']) => unauthenticated.watch(connection));
  io.on('new_namespace', (namespace) => {
    namespace.on('connection', ({ conn }) => unauthenticated.admitted(conn));
  });
  return io;
}

function mediaServer(http: HttpServer, secret: string, warnings: LimitedWarnings): Server {
  const wanted = digest(mediaAuthorization(secret));
  const hasSecret = ({ headers }: IncomingMessage) =>
    // Digests have equal length, so that the comparison takes constant time.
    timingSafeEqual(digest(headers.authorization ?? ''), wanted);
  const io = new Server(http, {
    ...common,
    path: mediaSocketPath,
    transports: ['websocket'],
    maxHttpBufferSize: MAX_MEDIA_MESSAGE_BYTES,
    parser: boundedParser(MEDIA_LIMITS),
    allowRequest: (request, decide) => {
      const allowed = hasSecret(request);
      if (!allowed)
        warnings.warn({ address: request.socket.remoteAddress }, 'media node rejected: wrong secret');
      decide(null, allowed);
    },
  });
  refuseDefaultNamespace(io);
  return io;
}

/** Every socket.io server has the namespace `/` and admits every client to it. */
function refuseDefaultNamespace(io: Server): void {
  io.of('/').use((_, next) => next(new Error('unauthorized')));
}

const digest = (text: string) => createHash('sha256').update(text).digest();
