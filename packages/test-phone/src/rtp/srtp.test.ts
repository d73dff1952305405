import { expect, test } from 'vitest';
import { buildRtp } from './packet.ts';
import { newSrtpKey, SrtpStream } from './srtp.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

test('a packet is encrypted as the validation of libsrtp expects it', () => {
  const keyAndSalt = hex('e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6');
  const stream = new SrtpStream({ suite: 'AES_CM_128_HMAC_SHA1_80', keyAndSalt });
  const plain = hex(`800f1234decafbadcafebabe${'ab'.repeat(16)}`);
  const encrypted = '800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb';
  expect(stream.protect(plain).toString('hex')).toBe(encrypted);
});

test('a stream is decrypted across a wrap of its sequence numbers, and other keys are rejected', () => {
  const key = newSrtpKey();
  const [sender, receiver, stranger] = [
    new SrtpStream(key),
    new SrtpStream(key),
    new SrtpStream(newSrtpKey()),
  ];
  for (let index = 65_500; index < 65_600; index += 1) {
    const packet = buildRtp({
      payloadType: 8,
      marker: false,
      sequence: index & 0xffff,
      timestamp: index * 160,
      ssrc: 7,
      payload: Buffer.alloc(160, index & 0xff),
    });
    const encrypted = sender.protect(packet);
    expect(receiver.unprotect(encrypted)).toEqual(packet);
    expect(stranger.unprotect(encrypted)).toBeNull();
  }
});
