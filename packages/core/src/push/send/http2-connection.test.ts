/** A persistent connection to servers that do not behave. Each request must end in time, and a server must not be flooded with connections. */
import { once } from 'node:events';
import { connect, constants, createServer as createHttp2Server } from 'node:http2';
import type { Http2Server, ServerHttp2Stream, Settings } from 'node:http2';
import { createConnection, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Http2Connection } from './http2-connection.ts';
import type { Http2Result } from './http2-connection.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).toReversed()) stop();
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A TCP server; returns its port and the sockets that it has accepted. */
async function tcpServer(onSocket: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  stops.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: await portOf(server), sockets };
}

async function http2Server(onStream: (stream: ServerHttp2Stream) => void, settings: Settings = {}) {
  const server: Http2Server = createHttp2Server({ settings });
  server.on('session', (session) => {
    session.on('error', () => {});
    stops.push(() => session.destroy());
  });
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    onStream(stream);
  });
  stops.push(() => server.close());
  return portOf(server);
}

function connectionTo(port: number) {
  const connection = new Http2Connection({
    connect: () => connect(`http://127.0.0.1:${port}`),
    isAccepted: () => true,
  });
  stops.push(() => connection.close());
  return connection;
}

const post = (connection: Http2Connection, timeoutMs = 2_000): Promise<Http2Result> =>
  connection.request({ path: '/', headers: {}, body: '{}', timeoutMs });
const answerOk = (stream: ServerHttp2Stream) => {
  stream.respond({ ':status': 200 });
  stream.end('ok');
};
const ok = { status: 200, text: 'ok' };

test('a server that accepts connections and says nothing', async () => {
  const { port, sockets } = await tcpServer(() => {});
  const connection = connectionTo(port);
  expect(await Promise.all([post(connection, 50), post(connection, 80)])).toEqual([
    { silence: 'Timeout' },
    { silence: 'Timeout' },
  ]);
  expect(sockets).toHaveLength(1);
});

test('a server that closes every connection', async () => {
  const { port, sockets } = await tcpServer((socket) => socket.destroy());
  const results = await Promise.all(Array.from({ length: 20 }, () => post(connectionTo(port))));
  expect(results.every((result) => 'silence' in result && result.silence !== 'Timeout')).toBe(true);
  expect(sockets).toHaveLength(20);
});

test('a server that opens every connection and then closes it: a request is not tried on more than five', async () => {
  const settingsFrame = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  const { port, sockets } = await tcpServer((socket) => {
    socket.write(settingsFrame);
    socket.once('data', () => setImmediate(() => socket.destroy()));
  });
  const connection = connectionTo(port);
  const results = await Promise.all(Array.from({ length: 20 }, () => post(connection)));
  expect(results.every((result) => 'silence' in result && result.silence !== 'Timeout')).toBe(true);
  expect(sockets.length).toBeLessThanOrEqual(6);
});

test('a server that does not speak HTTP/2', async () => {
  const { port } = await tcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect(await post(connectionTo(port))).toMatchObject({ silence: expect.stringMatching(/^(ERR_|Conn)/) });
});

test('no more requests run at a time than the server allows', async () => {
  let [running, most] = [0, 0];
  const port = await http2Server(
    (stream) => {
      running += 1;
      most = Math.max(most, running);
      setImmediate(() => {
        answerOk(stream);
        running -= 1;
      });
    },
    { maxConcurrentStreams: 3 },
  );
  const connection = connectionTo(port);
  const results = await Promise.all(Array.from({ length: 30 }, () => post(connection)));
  expect(results).toEqual(results.map(() => ok));
  expect(most).toBeLessThanOrEqual(3);
});

test('a request that the server refuses to process is sent again, but not for ever', async () => {
  let requests = 0;
  const port = await http2Server((stream) => {
    requests += 1;
    if (requests <= 2 || requests > 3) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    else answerOk(stream);
  });
  const connection = connectionTo(port);
  expect(await post(connection)).toEqual(ok);
  expect(requests).toBe(3);
  expect(await post(connection)).toEqual({ silence: 'ConnectionLost' });
  expect(requests).toBe(8);
});

test('a server that begins a response and stops', async () => {
  const port = await http2Server((stream) => {
    stream.respond({ ':status': 200 });
    stream.write('{');
  });
  expect(await post(connectionTo(port), 100)).toEqual({ silence: 'Timeout' });
});

test('a connection on which nothing arrives any more is found and replaced', async () => {
  const port = await http2Server(answerOk);
  // A router between that has forgotten the connection drops what is sent on it.
  const { port: routerPort, sockets } = await tcpServer((socket) => {
    const beyond = createConnection(port, '127.0.0.1');
    beyond.on('error', () => {});
    socket.pipe(beyond).pipe(socket);
  });
  const connection = connectionTo(routerPort);
  expect(await post(connection)).toEqual(ok);
  sockets[0]?.unpipe();
  sockets[0]?.pause();
  expect(await post(connection, 50)).toEqual({ silence: 'Timeout' });
  await expect.poll(() => post(connection, 100), { interval: 20 }).toEqual(ok);
  expect(sockets).toHaveLength(2);
});

test('a closed connection ends its requests and accepts no others', async () => {
  const port = await http2Server(() => {});
  const connection = connectionTo(port);
  await connection.prepare();
  const running = post(connection);
  connection.close();
  expect(await running).toMatchObject({ silence: 'Closed' });
  expect(await post(connection)).toEqual({ silence: 'Closed' });
  expect(connection.isIdle).toBe(true);
});
