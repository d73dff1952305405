import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DtmfReceiver } from './dtmf-receiver.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a key that is pressed for 2 s and reported by an event and, when it is released, by INFO counts once', () => {
  let digits = '';
  const receiver = new DtmfReceiver((digit) => (digits += digit));
  const press = () => {
    for (let ms = 0; ms <= 2_000; ms += 50) {
      const payload = Buffer.from([1, ms === 2_000 ? 0x8a : 0x0a, (ms * 8) >> 8, (ms * 8) & 0xff]);
      receiver.receiveEvent({
        payloadType: 101,
        marker: ms === 0,
        sequenceNumber: 0,
        timestamp: 1_600,
        ssrc: 7,
        payload,
      });
      vi.advanceTimersByTime(50);
    }
  };
  press();
  receiver.receiveInfo('1');
  expect(digits).toBe('1');
});
