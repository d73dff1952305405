/** The transport of the test phone's SIP messages: one UDP socket, or TCP or TLS connections in both directions. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { buildSip, parseSip, SipStream, type SipMessage } from './message.ts';

export type Transport = 'udp' | 'tcp' | 'tls';

/** In PEM format. Without `ca`, any certificate of the remote side is accepted. */
export interface PhoneCertificate {
  key: string;
  cert: string;
  ca?: string;
}

export interface SipTransport {
  readonly transport: Transport;
  readonly address: string;
  readonly port: number;
  send(message: SipMessage, host: string, port: number): void;
  /** Sends raw bytes, for messages that are not SIP. */
  sendRaw(bytes: Buffer | string, host: string, port: number): void;
  /** Of a stream: the number of open connections. */
  readonly connections?: () => number;
  /** Closes the open connections of a stream, as servers do that are idle or restarted. */
  readonly disconnect?: () => void;
  close(): void;
}

export type OnMessage = (message: SipMessage, from: { host: string; port: number }) => void;

export async function openTransport(
  transport: Transport,
  bind: { address: string; port: number },
  onMessage: OnMessage,
  certificate?: PhoneCertificate,
): Promise<SipTransport> {
  if (transport === 'udp') return openUdp(bind, onMessage);
  if (transport === 'tls' && !certificate) throw new Error('a phone over TLS needs a certificate');
  return openStream(
    transport,
    certificate ? tlsStream(certificate) : { connect, listen: createServer },
    bind,
    onMessage,
  );
}

interface Stream {
  connect: (port: number, host: string) => Socket;
  listen: (accept: (socket: Socket) => void) => Server;
}

function tlsStream({ key, cert, ca }: PhoneCertificate): Stream {
  const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
  return {
    connect: (port, host) => tls.connect({ port, host, ...trust }),
    listen: (accept) => tls.createServer({ key, cert }, accept).on('tlsClientError', () => undefined),
  };
}

async function openUdp(bind: { address: string; port: number }, onMessage: OnMessage): Promise<SipTransport> {
  const socket = createSocket('udp4');
  socket.bind(bind.port, bind.address);
  await once(socket, 'listening');
  socket.on('error', () => undefined); // an ICMP error from a server that has closed its socket
  socket.on('message', (bytes, from) => {
    const message = parseSip(bytes.toString());
    if (message) onMessage(message, { host: from.address, port: from.port });
  });
  let isOpen = true;
  // A simulated network may deliver a delayed message after the phone was closed.
  const sendRaw = (bytes: Buffer | string, host: string, port: number) => {
    if (isOpen) socket.send(bytes, port, host);
  };
  return {
    transport: 'udp',
    ...socket.address(),
    send: (message, host, port) => sendRaw(buildSip(message), host, port),
    sendRaw,
    close: () => {
      isOpen = false;
      socket.close();
    },
  };
}

async function openStream(
  transport: 'tcp' | 'tls',
  stream: Stream,
  bind: { address: string; port: number },
  onMessage: OnMessage,
): Promise<SipTransport> {
  const connections = new Map<string, Socket>();
  const adopt = (socket: Socket, key: string, from: { host: string; port: number }) => {
    connections.set(key, socket);
    const messages = new SipStream();
    socket.on('data', (chunk) => messages.push(chunk).forEach((message) => onMessage(message, from)));
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => connections.delete(key));
  };
  const server = stream.listen((socket) => {
    const from = { host: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
    adopt(socket, `${from.host}:${from.port}`, from);
  });
  server.listen(bind.port, bind.address);
  await once(server, 'listening');
  const listening = server.address();
  if (!listening || typeof listening === 'string') throw new Error('not listening on TCP');
  const sendRaw = (bytes: Buffer | string, host: string, port: number) => {
    const key = `${host}:${port}`;
    const open = connections.get(key);
    if (open) return void open.write(bytes);
    const socket = stream.connect(port, host);
    adopt(socket, key, { host, port });
    socket.write(bytes);
  };
  return {
    transport,
    address: listening.address,
    port: listening.port,
    send: (message, host, port) => sendRaw(buildSip(message), host, port),
    sendRaw,
    connections: () => connections.size,
    disconnect: () => connections.forEach((socket) => socket.end()),
    close: () => {
      server.close();
      connections.forEach((socket) => socket.destroy());
    },
  };
}
