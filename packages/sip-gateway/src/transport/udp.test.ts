import { describe, expect, it } from 'vitest';
import { isMessage } from './udp.ts';

describe('a datagram', () => {
  it.each([
    ['with a message', 300, 5060, true],
    ['that is a keep-alive', 4, 5060, false],
    ['from port 0, to which no response can be sent', 300, 0, false],
  ])('%s', (_, bytes, port, expected) => {
    expect(isMessage(bytes, port)).toBe(expected);
  });
});
