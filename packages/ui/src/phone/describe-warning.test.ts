import { expect, test } from 'vitest';
import { describeTransferFailure, describeWarning } from './describe-warning.ts';

test('every warning of the service has a text, and an unknown one has none', () => {
  for (const name of ['no-audio-received', 'no-audio-sent', 'high-packet-loss', 'high-jitter', 'high-rtt'])
    expect(describeWarning(name)).toMatch(/^[A-Z].*\.$/);
  expect(describeWarning('low-mos')).toContain('quality is poor');
  expect(describeWarning('something-new')).toBeNull();
});

test('a returned transfer has a reason, unless the agent cancelled it', () => {
  expect(describeTransferFailure('CANCELLED')).toBeNull();
  const sentences = ['DECLINED', 'NO_ANSWER', 'QUEUE_TIMEOUT', 'AGENT_GONE', 'CONNECT_FAILED'].map(
    describeTransferFailure,
  );
  expect(new Set(sentences).size).toBe(5);
  for (const sentence of sentences) expect(sentence).toContain('connected to the customer again');
});
