/** The transport of the test phone's SIP messages: one UDP socket, or TCP connections in both directions. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { buildSip, parseSip, SipStream, type SipMessage } from './message.ts';

export type Transport = 'udp' | 'tcp';

export interface SipTransport {
  readonly transport: Transport;
  readonly address: string;
  readonly port: number;
  send(message: SipMessage, host: string, port: number): void;
  /** Sends raw bytes, for messages that are not SIP. */
  sendRaw(bytes: Buffer | string, host: string, port: number): void;
  close(): void;
}

export type OnMessage = (message: SipMessage, from: { host: string; port: number }) => void;

export async function openTransport(
  transport: Transport,
  bind: { address: string; port: number },
  onMessage: OnMessage,
): Promise<SipTransport> {
  return transport === 'udp' ? openUdp(bind, onMessage) : openTcp(bind, onMessage);
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

async function openTcp(bind: { address: string; port: number }, onMessage: OnMessage): Promise<SipTransport> {
  const connections = new Map<string, Socket>();
  const adopt = (socket: Socket, key: string, from: { host: string; port: number }) => {
    connections.set(key, socket);
    const stream = new SipStream();
    socket.on('data', (chunk) => stream.push(chunk).forEach((message) => onMessage(message, from)));
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => connections.delete(key));
  };
  const server = createServer((socket) => {
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
    const socket = connect(port, host);
    adopt(socket, key, { host, port });
    socket.write(bytes);
  };
  return {
    transport: 'tcp',
    address: listening.address,
    port: listening.port,
    send: (message, host, port) => sendRaw(buildSip(message), host, port),
    sendRaw,
    close: () => {
      server.close();
      connections.forEach((socket) => socket.destroy());
    },
  };
}
