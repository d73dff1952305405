import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { endsCall, Probe } from './probe.ts';

test.each([
  ['481: the remote party does not know the dialog', 481, 0, true],
  ['408: the remote party, or a proxy before it, timed out', 408, 0, true],
  ['408 that the SIP server generated after a timeout', 408, 1, false],
  ['a second 408 in a row', 408, 2, true],
  ['a transport failure', 503, 1, false],
  ['a second transport failure in a row', 503, 2, true],
  ['a rejection by the remote party', 503, 0, false],
  ['OPTIONS is not allowed', 405, 0, false],
  ['a challenge', 407, 0, false],
  ['yes', 200, 0, false],
])('%s', (_, status, unreachable, ends) => {
  expect(endsCall(status, unreachable)).toBe(ends);
});

describe('a probe', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /**
   * A SIP server that responds to each OPTIONS as specified: with a status, with a generated response, or with
   * ENODIALOG.
   */
  function startProbe(
    answer: () => { status: number; invented?: boolean } | 'ENODIALOG',
    isNeeded = () => true,
  ) {
    const sent: string[] = [];
    const gone: string[] = [];
    const sendOptions = async () => {
      sent.push('OPTIONS');
      const reply = answer();
      if (reply === 'ENODIALOG') throw Object.assign(new Error('unable to find dialog'), { code: reply });
      return { status: reply.status, source_address: reply.invented ? '' : '192.0.2.1' };
    };
    const probe = new Probe({
      sendOptions,
      intervalMs: 1_000,
      isNeeded,
      onGone: (message) => gone.push(message),
    });
    return { probe, sent, gone };
  }

  test('is not sent while audio shows that the remote party is there', async () => {
    let silent = false;
    const { probe, sent } = startProbe(
      () => ({ status: 200 }),
      () => silent,
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sent).toEqual([]);
    silent = true;
    await vi.advanceTimersByTimeAsync(2_500);
    expect(sent).toEqual(['OPTIONS', 'OPTIONS']);
    silent = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sent).toHaveLength(2);
    probe.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('reports once that the remote party is gone, and stops', async () => {
    const { sent, gone } = startProbe(() => ({ status: 481 }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(gone).toHaveLength(1);
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('reports a dialog that the SIP server does not have as gone', async () => {
    const { gone } = startProbe(() => 'ENODIALOG');
    await vi.advanceTimersByTimeAsync(1_500);
    expect(gone).toHaveLength(1);
  });

  test.each([
    ['transport failure', 503],
    ['OPTIONS without a response', 408],
  ])('tolerates one %s between successful responses, but not two in a row', async (_what, failure) => {
    const answers = [failure, 200, failure, failure];
    const { gone, sent } = startProbe(() => {
      const status = answers.shift() ?? 200;
      return { status, invented: status === failure };
    });
    await vi.advanceTimersByTimeAsync(3_500);
    expect(gone).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(gone).toHaveLength(1);
    expect(sent).toHaveLength(4);
  });
});
