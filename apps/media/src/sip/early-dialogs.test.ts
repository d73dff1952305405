import { describe, expect, test } from 'vitest';
import type { LocalMedia } from '../sdp/carrier.ts';
import { newLocalKeys } from './agreement.ts';
import { EarlyDialogs, MAX_EARLY_DIALOGS } from './early-dialogs.ts';

const LOCAL: LocalMedia = {
  address: '127.0.0.1',
  port: 40_000,
  sessionId: 1,
  sessionVersion: 1,
  keys: newLocalKeys(),
};
const FIRST_PORT = 5_000;
const describing = (port: number): string =>
  `v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP 8\r\n`;

function forked(forks: number): { early: EarlyDialogs; results: unknown[] } {
  const early = new EarlyDialogs(LOCAL, { codecs: ['PCMA'], srtp: 'never' });
  const results = Array.from({ length: forks }, (_, fork) =>
    early.progress(`tag-${fork}`, describing(FIRST_PORT + fork)),
  );
  return { early, results };
}

describe('an INVITE with more forks than we track', () => {
  const { early, results } = forked(MAX_EARLY_DIALOGS + 3);

  test('has early media of the first forks only', () => {
    expect(results.map((one) => one === 'too many')).toEqual([
      ...Array.from({ length: MAX_EARLY_DIALOGS }, () => false),
      true,
      true,
      true,
    ]);
    expect(early.progress('tag-0', describing(FIRST_PORT))).toBe('repeated');
    expect(early.progress('tag-0', describing(6_000))).toMatchObject({ remote: { port: 6_000 } });
  });

  test('can be answered by any of them, including one that was ignored', () => {
    expect(forked(MAX_EARLY_DIALOGS).early.answered('tag-3', '').remote.port).toBe(FIRST_PORT + 3);
    expect(early.answered('tag-18', describing(7_000)).remote.port).toBe(7_000);
    expect(early.last().description).toBe(early.offer);
  });

  test('rejects the UPDATE of a fork that was ignored', () => {
    expect(early.update('tag-17', describing(8_000))).toMatchObject({ status: 491 });
  });
});

test('after many UPDATEs of a fork, its answer is still recognised as a repetition of the first description', () => {
  const { early } = forked(1);
  for (let port = 6_000; port < 6_020; port += 2) {
    expect(early.update('tag-0', describing(port))).toMatchObject({ status: 200 });
  }
  expect(early.answered('tag-0', describing(FIRST_PORT)).remote.port).toBe(6_018);
});
