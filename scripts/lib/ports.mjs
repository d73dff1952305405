import { createServer } from 'node:net';
import { createSocket } from 'node:dgram';

/** A TCP port that nobody uses at this moment. */
export async function freePort(host = '127.0.0.1') {
  const server = createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Whether a server may listen there now. */
export function isPortFree(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** The same for UDP. */
export function isUdpPortFree(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind(port, host, () => socket.close(() => resolve(true)));
  });
}

/** Ports for a copy of the whole system beside others: free now, for TCP and UDP, by the names that settings.mjs uses. */
export async function freeStackPorts(host = '127.0.0.1') {
  const names = ['web', 'realtime', 'media', 'worker', 'sip', 'sipTls', 'sipControl', 'webrtc'];
  const ports = new Set();
  while (ports.size < names.length) {
    const port = await freePort(host);
    if (await isUdpPortFree(port, host)) ports.add(port);
  }
  return Object.fromEntries(names.map((name, i) => [name, [...ports][i]]));
}
