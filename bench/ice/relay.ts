/**
 * The process under test: relays every call between its two ends, with an ICE bridge (`bridge`) or with two connected UDP
 * sockets that do nothing else (`bare`).
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { IceBridge, type BridgedTransport } from '../../apps/media/src/ice/ice-bridge.ts';
import { PASSWORD, type CallPorts } from './ends.ts';
import type { RelayReply, RelayRequest } from './relay-process.ts';

const ADDRESS = '127.0.0.1';
const CREDENTIALS = { usernameFragment: 'bench', password: PASSWORD };
const FINGERPRINT = { algorithm: 'sha-256', value: 'unused' } as const;

async function connectBridge({ remote, transport }: CallPorts): Promise<void> {
  // In place of mediasoup, whose CPU is not measured here.
  const lite: BridgedTransport = {
    iceParameters: { ...CREDENTIALS, iceLite: true },
    iceCandidates: [
      {
        foundation: '1',
        priority: 1,
        ip: ADDRESS,
        address: ADDRESS,
        protocol: 'udp',
        port: transport,
        type: 'host',
      },
    ],
    connect: () => Promise.resolve(),
  };
  const connected = Promise.withResolvers<void>();
  const bridge = await IceBridge.open({
    bindAddress: ADDRESS,
    port: 0,
    transport: lite,
    isAllowed: () => true,
    onConnected: connected.resolve,
    onLost: () => process.exit(1),
    onFailure: connected.reject,
    onDatagramFailure: connected.reject,
  });
  await bridge.connect({
    mid: 'audio',
    credentials: CREDENTIALS,
    iceLite: true,
    candidates: [{ address: ADDRESS, port: remote, priority: 1 }],
    fingerprint: FINGERPRINT,
    setup: 'active',
    opusPayloadType: 111,
    telephoneEventPayloadType: null,
    direction: 'sendrecv',
    ssrc: null,
    audioIndex: 0,
    lines: [],
  });
  await connected.promise;
}

async function connectBare({ remote, transport }: CallPorts): Promise<void> {
  const sockets: [Socket, Socket] = [createSocket('udp4'), createSocket('udp4')];
  for (const [index, port] of [remote, transport].entries()) {
    const socket = sockets[index];
    const other = sockets[1 - index];
    socket?.on('message', (datagram) => other?.send(datagram));
    socket?.connect(port, ADDRESS);
    if (socket) await once(socket, 'connect');
    socket?.send(Buffer.from([0]));
  }
}

const connect = process.argv[2] === 'bare' ? connectBare : connectBridge;
const reply = (message: RelayReply): void => void process.send?.(message);

process.on('message', (request: RelayRequest) => {
  if ('connect' in request) {
    void connect(request.connect).then(() => reply({ connected: true }));
    return;
  }
  const { user, system } = process.cpuUsage();
  reply({ cpuUs: user + system });
});
