/** The bridge with a party that we did not write: ICE, DTLS and SRTP of libdatachannel, which is a full ICE agent. */
import { Audio, PeerConnection, type Track } from 'node-datachannel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRemoteDescription, writeOwnDescription } from '../src/ice/ice-sdp.ts';
import { eventually } from './support/fake-realtime.ts';
import {
  hearing,
  IcePeers,
  IMPATIENT,
  numberedPacket,
  numberOf,
  speaking,
  WINDOW,
  type Peer,
} from './support/ice-peers.ts';

const PACKETS = 500;
const EVERY_NUMBER = Array.from({ length: PACKETS }, (_, number) => number);
const THEIR_SSRC = 4_711;
const OUR_SSRC = 815;

let peers: IcePeers;
beforeAll(async () => {
  peers = await IcePeers.start();
});
afterAll(() => peers.close());

function fullParty(): { party: PeerConnection; track: Track } {
  const party = new PeerConnection('party', {
    iceServers: [],
    bindAddress: '127.0.0.1',
    forceMediaTransport: true,
    disableAutoNegotiation: true,
  });
  const audio = new Audio('audio', 'SendRecv');
  audio.addOpusCodec(111);
  audio.addSSRC(THEIR_SSRC, 'party', 'stream', 'track');
  return { party, track: party.addTrack(audio) };
}

async function described(party: PeerConnection, type: 'offer' | 'answer'): Promise<string> {
  const complete = new Promise<void>((resolve) =>
    party.onGatheringStateChange((state) => state === 'complete' && resolve()),
  );
  party.setLocalDescription(type);
  await complete;
  return party.localDescription()?.sdp ?? '';
}

async function ourSide() {
  const ours = await peers.peer();
  const { bridge, reports } = await peers.bridge(ours, { timing: IMPATIENT });
  const own = {
    sessionId: 1,
    address: '127.0.0.1',
    port: bridge.port,
    credentials: bridge.credentials,
    fingerprints: ours.transport.dtlsParameters.fingerprints,
    ssrc: OUR_SSRC,
    cname: 'ours',
  };
  return { ours, bridge, reports, own };
}

/** Audio in both directions; the numbers that arrived. */
async function exchangeWith(track: Track, ours: Peer): Promise<[number[], number[]]> {
  const toUs = await hearing(ours, THEIR_SSRC);
  const toThem: number[] = [];
  track.onMessage((datagram) => {
    const number = numberOf(datagram);
    if (number !== null) toThem.push(number);
  });
  const { send } = await speaking(ours);
  for (let number = 0; number < PACKETS; number += 1) {
    await eventually('packets arrive', () => Math.min(toUs.length, toThem.length) > number - WINDOW);
    send(number);
    track.sendMessageBinary(numberedPacket(number, THEIR_SSRC));
  }
  await eventually('all arrive', () => toUs.length === PACKETS && toThem.length === PACKETS);
  return [toUs, toThem];
}

test('it answers our offer', async () => {
  const { party, track } = fullParty();
  const { ours, bridge, reports, own } = await ourSide();
  party.setRemoteDescription(writeOwnDescription(own, null), 'offer');
  await bridge.connect(readRemoteDescription(await described(party, 'answer')));
  await eventually('both are connected', () => track.isOpen() && ours.transport.dtlsState === 'connected');
  expect(await exchangeWith(track, ours)).toEqual([EVERY_NUMBER, EVERY_NUMBER]);
  expect(reports).toEqual({ connected: 1, lost: 0, failures: [], datagramFailures: [] });
  party.close();
});

test('we answer its offer, although both of us want to control', async () => {
  const { party, track } = fullParty();
  const { ours, bridge, reports, own } = await ourSide();
  const offer = readRemoteDescription(await described(party, 'offer'));
  party.setRemoteDescription(writeOwnDescription(own, offer), 'answer');
  await bridge.connect(offer);
  await eventually('both are connected', () => track.isOpen() && ours.transport.dtlsState === 'connected');
  expect(await exchangeWith(track, ours)).toEqual([EVERY_NUMBER, EVERY_NUMBER]);
  expect(reports).toEqual({ connected: 1, lost: 0, failures: [], datagramFailures: [] });
  party.close();
});
