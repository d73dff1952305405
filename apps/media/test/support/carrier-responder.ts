/** A carrier that only responds: over UDP, TCP or TLS, with what the test returns for each request. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { responseText, headerOf } from '@clarion/test-phone/sip/text';

/** Null: no response. */
export type Respond = (request: string) => Response | null;

export interface Response {
  status: number;
  headers?: readonly string[];
  body?: string;
  /** Value of Contact; default: that of the request. */
  contact?: string;
  /** Replaces the top Via. */
  via?: string;
}

export interface CarrierResponder {
  port: number;
  /** The requests received, without repetitions. */
  requests: string[];
  respond: Respond;
  close: () => Promise<void>;
}

const OK: Respond = () => ({ status: 200 });

export async function startUdpCarrier(respond: Respond = OK): Promise<CarrierResponder> {
  const socket = createSocket('udp4');
  const carrier = responder(respond, async () => {
    socket.close();
    await once(socket, 'close');
  });
  socket.on('message', (bytes, from) => {
    const text = bytes.length < 20 ? null : carrier.answer(bytes.toString());
    if (text !== null) socket.send(text, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return Object.assign(carrier, { port: socket.address().port });
}

/** @param material over TLS with this certificate */
export async function startStreamCarrier(
  respond: Respond = OK,
  material?: { key: string; cert: string },
): Promise<CarrierResponder> {
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    let buffer = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      buffer += bytes.toString();
      for (let end = buffer.indexOf('\r\n\r\n'); end >= 0; end = buffer.indexOf('\r\n\r\n')) {
        const request = buffer.slice(0, end + 4);
        buffer = buffer.slice(end + 4);
        const text = request.includes('SIP/2.0') ? carrier.answer(request) : null;
        if (text !== null) socket.write(text);
      }
    });
  };
  const server = material ? createTlsServer(material, serve) : createServer(serve);
  server.on('tlsClientError', () => undefined);
  const carrier = responder(respond, async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(carrier, { port: (server.address() as AddressInfo).port });
}

function responder(respond: Respond, close: () => Promise<void>) {
  const branches = new Set<string>();
  const requests: string[] = [];
  return {
    requests,
    respond,
    close,
    answer(request: string): string | null {
      const branch = headerOf(request, 'Via');
      if (!branches.has(branch)) requests.push(request);
      branches.add(branch);
      const response = this.respond(request);
      if (response === null) return null;
      const text = responseText(request, response.status, {
        toTag: 'carrier',
        contact: response.contact ?? headerOf(request, 'Contact'),
        ...(response.headers && { headers: response.headers }),
        ...(response.body !== undefined && { body: response.body }),
      });
      return response.via === undefined ? text : text.replace(/^Via: .*\r$/m, `Via: ${response.via}\r`);
    },
  };
}
