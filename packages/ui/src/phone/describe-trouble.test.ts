import { expect, test } from 'vitest';
import { describeTransferFailure, describeWarning } from './describe-trouble.ts';

test('every warning of the service is said in words, and an unknown one in none', () => {
  for (const name of ['no-audio-received', 'no-audio-sent', 'high-packet-loss', 'high-jitter', 'high-rtt'])
    expect(describeWarning(name)).toMatch(/^[A-Z].*\.$/);
  expect(describeWarning('low-mos')).toContain('quality is poor');
  expect(describeWarning('something-new')).toBeNull();
});

test('a transfer that came back says why, but not to who took it back', () => {
  expect(describeTransferFailure('CANCELLED')).toBeNull();
  const sentences = ['DECLINED', 'NO_ANSWER', 'QUEUE_TIMEOUT', 'AGENT_GONE', 'CONNECT_FAILED'].map(
    describeTransferFailure,
  );
  expect(new Set(sentences).size).toBe(5);
  for (const sentence of sentences) expect(sentence).toContain('with you again');
});
