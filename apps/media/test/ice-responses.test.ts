/** What counts as an answer to a check of ours, with a remote party whose every datagram the test chooses. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { decodeStun, encodeStun, type StunMessage } from '../src/ice/stun-message.ts';
import { eventually } from './support/fake-realtime.ts';
import { describePeer, IcePeers, IMPATIENT } from './support/ice-peers.ts';

const PASSWORD = 'password of the scripted party';
const DTLS = Buffer.alloc(60, 22);
/** That many repetitions of a check show that a response did not count. */
const REPETITIONS = 5;

interface Received {
  message: StunMessage;
  from: RemoteInfo;
}

let peers: IcePeers;
let party: Socket;
let stranger: Socket;
/** The checks that the party has received. */
let checks: Received[];

beforeAll(async () => {
  peers = await IcePeers.start();
});
beforeEach(async () => {
  checks = [];
  party = createSocket('udp4', (datagram, from) => {
    const decoded = decodeStun(datagram);
    if (decoded) checks.push({ message: decoded.message, from });
  });
  stranger = createSocket('udp4');
  for (const socket of [party, stranger]) {
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
  }
});
afterEach(async () => {
  await peers.closeBridges();
  party.close();
  stranger.close();
});
afterAll(() => peers.close());

/** A bridge that checks the party, which is the DTLS client. */
async function checking() {
  const { bridge, reports } = await peers.bridge(await peers.peer(), { timing: IMPATIENT });
  await bridge.connect({
    ...describePeer(await peers.peer(), 'active'),
    credentials: { usernameFragment: 'party', password: PASSWORD },
    candidates: [{ address: '127.0.0.1', port: party.address().port, priority: 1 }],
  });
  await eventually('a check arrives', () => checks.length > 0);
  return { bridge, reports };
}

/** Answers a check. */
function answer({ message, from }: Received, { password = PASSWORD, by = party } = {}): void {
  const mappedAddress = { address: from.address, port: from.port };
  const { transactionId } = message;
  const response = encodeStun({ class: 'success', transactionId, mappedAddress }, password);
  by.send(response, from.port, from.address);
}

function received(index: number): Received {
  const found = checks.at(index);
  if (!found) throw new Error(`the party has received only ${checks.length} checks`);
  return found;
}

test('an authentic response leads to the nomination, and its response to the connection', async () => {
  const { reports } = await checking();
  expect(received(0).message).toMatchObject({ role: { kind: 'controlling' } });
  expect(received(0).message.useCandidate).toBeUndefined();
  answer(received(0));
  await eventually('the nomination arrives', () => received(-1).message.useCandidate === true);
  answer(received(-1));
  await eventually('it is connected', () => reports.connected === 1);
});

test.each([
  ['signed with another password', () => answer(received(0), { password: 'another password' })],
  ['from another address', () => answer(received(0), { by: stranger })],
])('a response that is %s counts for nothing', async (_what, respond) => {
  const { bridge, reports } = await checking();
  respond();
  await eventually('the response is dropped', () => bridge.counters.droppedStun === 1);
  const before = checks.length;
  await eventually('the check is repeated', () => checks.length >= before + REPETITIONS);
  expect(checks.filter(({ message }) => message.useCandidate)).toEqual([]);
  expect(received(-1).message.transactionId).toEqual(received(0).message.transactionId);
  expect(reports.connected).toBe(0);
});

test('data is relayed from the address that has answered, and from no other', async () => {
  const { bridge } = await checking();
  const { port } = bridge;
  party.send(DTLS, port, '127.0.0.1');
  await eventually('data before an answer is dropped', () => bridge.counters.droppedSource === 1);
  answer(received(0));
  await eventually('the nomination arrives', () => received(-1).message.useCandidate === true);
  stranger.send(DTLS, port, '127.0.0.1');
  await eventually('data of a stranger is dropped', () => bridge.counters.droppedSource === 2);
  expect(bridge.counters.fromRemote).toEqual({ packets: 0, bytes: 0 });
  party.send(DTLS, port, '127.0.0.1');
  await eventually('data of the party is relayed', () => bridge.counters.fromRemote.packets === 1);
  expect(bridge.counters.fromRemote.bytes).toBe(DTLS.length);
});
