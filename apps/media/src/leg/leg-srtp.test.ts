import { expect, test } from 'vitest';
import { buildRtp } from '../rtp/packet.ts';
import { newMasterKey, type MasterKey } from '../rtp/srtp-keys.ts';
import { SrtpReceiver, SrtpSender } from '../rtp/srtp.ts';
import { LegSrtp } from './leg-srtp.ts';

const key = () => newMasterKey('AES_CM_128_HMAC_SHA1_80');
const packet = (sequenceNumber: number) =>
  buildRtp({
    payloadType: 8,
    marker: false,
    sequenceNumber,
    timestamp: sequenceNumber * 160,
    ssrc: 9,
    payload: Buffer.alloc(160, 1),
  });
const pair = (send: MasterKey, receive: MasterKey) => ({ tag: 1, send, receive });

test('a leg without keys sends and receives packets as they are', () => {
  const leg = new LegSrtp();
  expect(leg.active).toBe(false);
  expect(leg.protectRtp(packet(1))).toEqual(packet(1));
  expect(leg.unprotectRtp(packet(1))).toEqual(packet(1));
});

test('a repeated session description keeps the state: no packet is accepted twice, and no new SSRC is needed', () => {
  const [send, receive] = [key(), key()];
  const [leg, remote] = [new LegSrtp(), new SrtpSender(receive)];
  leg.apply(pair(send, receive));
  const first = remote.protectRtp(packet(1)) as Buffer;
  expect(leg.unprotectRtp(first)).toEqual(packet(1));
  expect(leg.protectRtp(packet(5))).not.toBeNull();
  expect(leg.apply(pair({ ...send }, { ...receive }))).toBe(false);
  expect(leg.unprotectRtp(first)).toBeNull();
  expect(leg.protectRtp(packet(5))).toBeNull();
  expect(leg.rejected).toBe(1);
});

test('packets that were sent before a change of the key are still accepted, and ours need a new SSRC', () => {
  const [before, now, ours] = [key(), key(), key()];
  const leg = new LegSrtp();
  leg.apply(pair(ours, before));
  const inFlight = new SrtpSender(before).protectRtp(packet(1)) as Buffer;
  leg.protectRtp(packet(1));
  const renewed = key();
  expect(leg.apply(pair(renewed, now))).toBe(true);
  expect(leg.unprotectRtp(new SrtpSender(now).protectRtp(packet(2)) as Buffer)).toEqual(packet(2));
  expect(leg.unprotectRtp(inFlight)).toEqual(packet(1));
  expect(new SrtpReceiver(renewed).unprotectRtp(leg.protectRtp(packet(3)) as Buffer)).toEqual(packet(3));
});

test('an encrypted leg drops packets that are not', () => {
  const leg = new LegSrtp();
  leg.apply(pair(key(), key()));
  expect(leg.unprotectRtp(packet(1))).toBeNull();
  expect(leg.unprotectRtcp(packet(1))).toBeNull();
});
