/**
 * A load balancer in front of several realtime nodes: forwards each TCP connection to the first node that accepts it. A client whose
 * node dies reconnects and reaches the next one.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Balancer {
  url: string;
  close(): void;
}

export async function balance(ports: readonly number[], host = '127.0.0.1'): Promise<Balancer> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on('error', () => client.destroy()).on('close', () => open.delete(client));
    forward(client, ports, host);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

function forward(client: Socket, [port, ...others]: readonly number[], host: string): void {
  if (port === undefined) {
    client.destroy();
    return;
  }
  const node = connect({ port, host });
  let isThere = false;
  node.once('connect', () => {
    isThere = true;
    node.pipe(client);
    client.pipe(node);
    client.once('close', () => node.destroy());
  });
  node.on('error', () => undefined);
  node.once('close', () => {
    if (isThere || client.destroyed) client.destroy();
    else forward(client, others, host);
  });
}
