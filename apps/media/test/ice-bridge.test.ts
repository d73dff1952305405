import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { IceFailure, type IceBridge } from '../src/ice/ice-bridge.ts';
import { decodeStun, encodeStun, isAuthentic, type StunMessage } from '../src/ice/stun-message.ts';
import { eventually } from './support/fake-realtime.ts';
import {
  describePeer,
  dtlsConnected,
  exchange,
  expectParty,
  IcePeers,
  IMPATIENT,
  type Peer,
} from './support/ice-peers.ts';

const PACKETS = 500;
const EVERY_NUMBER = Array.from({ length: PACKETS }, (_, number) => number);
const SETUPS = ['passive', 'active'] as const;

let peers: IcePeers;
beforeAll(async () => {
  peers = await IcePeers.start();
});
afterEach(() => peers.closeBridges());
afterAll(() => peers.close());

/** A bridge whose remote party is an ICE-lite peer. `setup`: of that peer. */
async function connected(setup: (typeof SETUPS)[number], timing = IMPATIENT) {
  const remote = await peers.peer();
  const ours = await peers.peer();
  const { bridge, reports } = await peers.bridge(ours, { timing });
  await expectParty(remote, ours, setup === 'active' ? 'server' : 'client');
  await bridge.connect(describePeer(remote, setup));
  await dtlsConnected(remote, ours);
  return { remote, ours, bridge, reports };
}

describe.each(SETUPS)('with an ICE-lite party that is DTLS-%s', (setup) => {
  test('DTLS connects and every packet arrives in both directions', async () => {
    const { remote, ours, bridge, reports } = await connected(setup);
    expect(await exchange(remote, ours, PACKETS)).toEqual([EVERY_NUMBER, EVERY_NUMBER]);
    expect(reports).toEqual({ connected: 1, lost: 0, failures: [], datagramFailures: [] });
    const { fromRemote, toRemote, ...dropped } = bridge.counters;
    expect(fromRemote.packets).toBeGreaterThanOrEqual(PACKETS);
    expect(toRemote.packets).toBeGreaterThanOrEqual(PACKETS);
    // A retransmitted check may get a second, late response: droppedStun counts it.
    expect(dropped).toMatchObject({ droppedSource: 0, droppedOther: 0, failedDatagrams: 0 });
  });

  test('the side of the DTLS server is connected first, because the client sends at once and repeats late', async () => {
    const remote = await peers.peer();
    const ours = await peers.peer();
    const order: string[] = [];
    for (const [side, { transport }] of Object.entries({ remote, ours }))
      transport.on('icestatechange', (state) => state === 'connected' && order.push(side));
    const { bridge } = await peers.bridge(ours, { timing: IMPATIENT });
    await expectParty(remote, ours, setup === 'active' ? 'server' : 'client');
    await bridge.connect(describePeer(remote, setup));
    await dtlsConnected(remote, ours);
    expect(order).toEqual(setup === 'active' ? ['ours', 'remote'] : ['remote', 'ours']);
  });
});

/** Two peers, each behind a bridge: both agents are full and want to control. */
async function connectedBridges() {
  const [one, other] = [await peers.peer(), await peers.peer()];
  const first = await peers.bridge(one, { timing: IMPATIENT });
  const second = await peers.bridge(other, { timing: IMPATIENT });
  await Promise.all([
    first.bridge.connect(describePeer(other, 'active', second.bridge)),
    second.bridge.connect(describePeer(one, 'passive', first.bridge)),
  ]);
  await dtlsConnected(one, other);
  return { one, other, first, second };
}

test('two bridges, both of which want to control, agree on their roles and every packet arrives', async () => {
  const { one, other, first, second } = await connectedBridges();
  expect(await exchange(one, other, PACKETS)).toEqual([EVERY_NUMBER, EVERY_NUMBER]);
  expect([first.reports.connected, second.reports.connected]).toEqual([1, 1]);
});

describe('consent', () => {
  test('is lost, once, when the remote party falls silent, and nothing is sent any more', async () => {
    const { one, first, second } = await connectedBridges();
    const { bridge, reports } = first;
    await second.bridge.close();
    await eventually('the loss is reported', () => reports.lost > 0);
    const { toRemote, droppedOther } = bridge.counters;
    one.transport.close(); // sends a DTLS alert
    await eventually('the alert is dropped', () => bridge.counters.droppedOther > droppedOther);
    expect(bridge.counters.toRemote).toEqual(toRemote);
    expect(reports).toMatchObject({ connected: 1, lost: 1, failures: [] });
  });

  test('is lost when our own transport is gone', async () => {
    const { ours, reports } = await connected('active');
    ours.transport.close();
    await eventually('the loss is reported', () => reports.lost > 0);
  });

  test('is kept without any media', async () => {
    const { bridge, reports, remote } = await connected('passive');
    const silentSinceMs = performance.now();
    await eventually(
      'twice the timeout has passed',
      () => performance.now() - silentSinceMs > 2 * IMPATIENT.consentTimeoutMs,
    );
    expect(reports.lost).toBe(0);
    expect(remote.transport.iceState).toBe('completed');
    expect(bridge.counters.droppedStun).toBe(0);
  });
});

describe('the connection fails, once,', () => {
  test('with a wrong password', async () => {
    const remote = await peers.peer();
    const { bridge, reports } = await peers.bridge(await peers.peer(), { timing: IMPATIENT });
    const description = describePeer(remote, 'passive');
    const credentials = { ...description.credentials, password: 'x'.repeat(32) };
    await bridge.connect({ ...description, credentials });
    await eventually('the failure is reported', () => reports.failures.length > 0);
    expect(reports.failures).toEqual([
      new IceFailure('the remote party refused connectivity checks with 401'),
    ]);
    expect(reports).toMatchObject({ connected: 0, lost: 0 });
  });

  test('with a party that does not answer', async () => {
    const remote = await peers.peer();
    const { bridge, reports } = await peers.bridge(await peers.peer(), { timing: IMPATIENT });
    const description = describePeer(remote, 'passive');
    remote.transport.close();
    await bridge.connect(description);
    await eventually('the failure is reported', () => reports.failures.length > 0);
    expect(reports.failures).toEqual([new IceFailure('the remote party did not answer connectivity checks')]);
  });
});

test('a party whose first candidate is unreachable is connected through the next one', async () => {
  const remote = await peers.peer();
  const gone = await peers.peer();
  const ours = await peers.peer();
  const { bridge, reports } = await peers.bridge(ours, { timing: IMPATIENT });
  await expectParty(remote, ours, 'client');
  const description = describePeer(remote, 'passive');
  const [unreachable] = describePeer(gone, 'passive').candidates;
  gone.transport.close();
  if (unreachable) description.candidates.unshift({ ...unreachable, priority: 0xffffffff });
  await bridge.connect(description);
  await dtlsConnected(remote, ours);
  expect(reports.connected).toBe(1);
});

/** A UDP socket of somebody else, which records what it receives. */
async function stranger(): Promise<{ socket: Socket; received: Buffer[]; send: SendTo }> {
  const socket = createSocket('udp4');
  const received: Buffer[] = [];
  socket.on('message', (datagram) => received.push(datagram));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const send: SendTo = (datagram, port) =>
    new Promise((resolve) => socket.send(datagram, port, '127.0.0.1', () => resolve()));
  return { socket, received, send };
}
type SendTo = (datagram: Buffer, port: number) => Promise<void>;

function request(bridge: IceBridge, change: Partial<StunMessage> = {}, password?: string): Buffer {
  const { usernameFragment } = bridge.credentials;
  return encodeStun(
    {
      class: 'request',
      transactionId: randomBytes(12),
      username: `${usernameFragment}:peer`,
      priority: 1,
      role: { kind: 'controlled', tieBreaker: 1n },
      ...change,
    },
    password ?? bridge.credentials.password,
  );
}

describe('an address that is not allowed', () => {
  const isAllowed = (address: string) => address !== '127.0.0.1';

  test('in the description gets no datagram', async () => {
    const { socket, received } = await stranger();
    const { bridge } = await peers.bridge(await peers.peer(), { isAllowed, timing: IMPATIENT });
    const description = describePeer(await peers.peer(), 'passive');
    const candidates = [{ address: '127.0.0.1', port: socket.address().port, priority: 1 }];
    await expect(bridge.connect({ ...description, candidates })).rejects.toThrow(IceFailure);
    expect(received).toEqual([]);
    socket.close();
  });

  test('gets no response to an authentic request either', async () => {
    const { socket, received, send } = await stranger();
    const { bridge } = await peers.bridge(await peers.peer(), { isAllowed });
    await send(request(bridge), bridge.port);
    await eventually('the request is dropped', () => bridge.counters.droppedStun === 1);
    expect(received).toEqual([]);
    socket.close();
  });
});

describe('a request before the remote description is known', () => {
  test('is answered with its source address, by a message that is not longer', async () => {
    const { socket, received, send } = await stranger();
    const { bridge } = await peers.bridge(await peers.peer());
    const sent = request(bridge);
    await send(sent, bridge.port);
    await eventually('the response arrives', () => received.length === 1);
    const [response = Buffer.alloc(0)] = received;
    const decoded = decodeStun(response);
    expect(decoded?.message).toEqual({
      class: 'success',
      transactionId: decodeStun(sent)?.message.transactionId,
      mappedAddress: { address: '127.0.0.1', port: socket.address().port },
    });
    expect(decoded && isAuthentic(response, decoded, bridge.credentials.password)).toBe(true);
    expect(response.length).toBeLessThanOrEqual(sent.length);
    socket.close();
  });

  test('with an attribute that must be understood gets the error 420', async () => {
    const { socket, received, send } = await stranger();
    const { bridge } = await peers.bridge(await peers.peer());
    const role = { kind: 'controlled' as const, tieBreaker: 1n };
    const username = `${bridge.credentials.usernameFragment}:peer`;
    const plain = encodeStun({ class: 'request', transactionId: randomBytes(12), username, role }, null);
    const withData = withAttribute(plain, 0x0013, bridge.credentials.password);
    await send(withData, bridge.port);
    await eventually('the response arrives', () => received.length === 1);
    const [response = Buffer.alloc(0)] = received;
    expect(decodeStun(response)?.message).toMatchObject({
      class: 'error',
      errorCode: 420,
      unknownAttributes: [0x0013],
    });
    expect(response.length).toBeLessThanOrEqual(withData.length);
    socket.close();
  });

  test.each([
    ['a wrong password', (bridge: IceBridge) => request(bridge, {}, 'wrong')],
    ['another user name', (bridge: IceBridge) => request(bridge, { username: 'x:y' })],
    ['no user name', (bridge: IceBridge) => request(bridge, { username: '' })],
  ])('with %s gets no response', async (_what, build) => {
    const { socket, received, send } = await stranger();
    const { bridge } = await peers.bridge(await peers.peer());
    await send(build(bridge), bridge.port);
    await eventually('the request is dropped', () => bridge.counters.droppedStun === 1);
    expect(received).toEqual([]);
    socket.close();
  });
});

test('what strangers send, before and during the call, gets no answer and does no harm', async () => {
  const { socket, received, send } = await stranger();
  const remote: Peer = await peers.peer();
  const ours = await peers.peer();
  const { bridge, reports } = await peers.bridge(ours);
  const hostile = [
    Buffer.alloc(0),
    Buffer.from([0]),
    randomBytes(1_400),
    Buffer.alloc(1_400, 0x80),
    Buffer.alloc(1_400, 22),
    request(bridge, {}, 'wrong'),
    request(bridge).subarray(0, 40),
    encodeStun({ class: 'success', transactionId: randomBytes(12) }, 'wrong'),
    encodeStun({ class: 'error', transactionId: randomBytes(12), errorCode: 487 }, null),
    encodeStun({ class: 'indication', transactionId: randomBytes(12) }, null),
    ...Array.from({ length: 50 }, () => {
      const changed = request(bridge);
      changed.writeUInt8(randomBytes(1).readUInt8(0), randomBytes(1).readUInt8(0) % changed.length);
      return changed;
    }),
  ];
  // One of the changed requests may be the original one.
  const isAnswered = (datagram: Buffer) => {
    const decoded = decodeStun(datagram);
    return decoded !== null && isAuthentic(datagram, decoded, bridge.credentials.password);
  };
  const attacks = hostile.filter((datagram) => !isAnswered(datagram));
  const dropped = () => {
    const { droppedSource, droppedStun, droppedOther } = bridge.counters;
    return droppedSource + droppedStun + droppedOther;
  };
  for (const datagram of attacks) await send(datagram, bridge.port);
  // Indications are ignored without being counted.
  await eventually('all are dropped', () => dropped() >= attacks.length - 1);
  await expectParty(remote, ours, 'client');
  await bridge.connect(describePeer(remote, 'passive'));
  await dtlsConnected(remote, ours);
  const audio = exchange(remote, ours, PACKETS);
  for (const datagram of attacks) await send(datagram, bridge.port);
  expect(await audio).toEqual([EVERY_NUMBER, EVERY_NUMBER]);
  expect(received).toEqual([]);
  expect(reports).toEqual({ connected: 1, lost: 0, failures: [], datagramFailures: [] });
  socket.close();
});

test('a bridge that is closed leaves no socket and no timer', async () => {
  const udp = () => process.getActiveResourcesInfo().filter((kind) => /UDP|Timeout/.test(kind)).length;
  const remote = await peers.peer();
  const ours = await peers.peer();
  const before = udp();
  const { bridge } = await peers.bridge(ours);
  await bridge.connect(describePeer(remote, 'passive'));
  await bridge.close();
  await eventually('everything is released', () => udp() <= before);
});

/** Adds an attribute of 4 zero bytes to a message without MESSAGE-INTEGRITY, and signs the result (RFC 8489 §14.5, §14.7). */
function withAttribute(unsigned: Buffer, type: number, password: string): Buffer {
  const header = Buffer.from([type >> 8, type & 0xff, 0, 4, 0, 0, 0, 0]);
  const body = Buffer.concat([unsigned.subarray(0, unsigned.length - 8), header]);
  body.writeUInt16BE(body.length - 20 + 24, 2);
  const hmac = createHmac('sha1', password).update(body).digest();
  const covered = Buffer.concat([body, Buffer.from([0, 8, 0, 20]), hmac]);
  covered.writeUInt16BE(covered.length - 20 + 8, 2);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE((crc32(covered) ^ 0x5354554e) >>> 0);
  return Buffer.concat([covered, Buffer.from([0x80, 0x28, 0, 4]), checksum]);
}
