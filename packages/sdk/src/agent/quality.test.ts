import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addSample,
  estimateMos,
  noQuality,
  qualityLevel,
  WINDOW_SAMPLES,
  type QualitySample,
  type QualityState,
} from './quality.ts';

const fine: QualitySample = {
  roundTripMs: 40,
  jitterMs: 3,
  lossRatio: 0,
  lossPercent: 0,
  codec: 'PCMA',
  packetsLost: 0,
  packetsReceived: 50,
  packetsSent: 50,
  mos: 4.4,
};
const lossy: QualitySample = { ...fine, lossRatio: 0.05 };

function run(samples: QualitySample[]) {
  let state: QualityState = noQuality;
  const log: string[] = [];
  for (const sample of samples) {
    const step = addSample(state, sample);
    state = step.state;
    log.push(...step.raised.map((name) => `+${name}`), ...step.cleared.map((name) => `-${name}`));
  }
  return { state, log };
}

describe('a warning', () => {
  test('starts with three bad samples out of five', () => {
    expect(run([lossy, lossy, fine, fine, fine]).log).toEqual([]);
    expect(run([lossy, fine, lossy, fine, lossy]).log).toEqual(['+high-packet-loss']);
  });

  test('ends only when the last five samples are good', () => {
    const bad = [lossy, lossy, lossy];
    expect(run([...bad, fine, fine, fine, fine]).log).toEqual(['+high-packet-loss']);
    expect(run([...bad, fine, fine, fine, fine, fine]).log).toEqual([
      '+high-packet-loss',
      '-high-packet-loss',
    ]);
  });

  test('exists for each limit', () => {
    const three = (sample: QualitySample) => run([sample, sample, sample]).log;
    expect(three({ ...fine, roundTripMs: 401 })).toEqual(['+high-rtt']);
    expect(three({ ...fine, jitterMs: 31 })).toEqual(['+high-jitter']);
    expect(three({ ...fine, mos: 2.9 })).toEqual(['+low-mos']);
    expect(three({ ...fine, packetsReceived: 0, lossRatio: null, mos: null })).toEqual([
      '+no-audio-received',
    ]);
    expect(three({ ...fine, packetsSent: 0 })).toEqual(['+no-audio-sent']);
  });

  test('is not raised for values that are not known yet', () => {
    expect(
      run(Array<QualitySample>(9).fill({ ...fine, roundTripMs: null, jitterMs: null, mos: null })).log,
    ).toEqual([]);
  });

  test('alternately starts and ends, and the window never grows', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(fine, lossy), { maxLength: 60 }), (samples) => {
        const { state, log } = run(samples);
        expect(log).toEqual(
          log.map((_, index) => (index % 2 === 0 ? '+high-packet-loss' : '-high-packet-loss')),
        );
        expect(state.samples.length).toBeLessThanOrEqual(WINDOW_SAMPLES);
      }),
    );
  });
});

describe('the mean opinion score', () => {
  test('is high on a good network, and low with a tenth of the packets lost', () => {
    expect(estimateMos(30, 2, 0)).toBeGreaterThan(4.3);
    expect(estimateMos(300, 30, 0.1)).toBeLessThan(3.6);
    expect(estimateMos(1500, 200, 0.4)).toBe(1);
  });

  test('stays within its range and never rises as the network gets worse', () => {
    const ms = fc.double({ min: 0, max: 3000, noNaN: true });
    const ratio = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(ms, ms, ratio, ms, ms, ratio, (rtt, jitter, loss, moreRtt, moreJitter, moreLoss) => {
        const mos = estimateMos(rtt, jitter, loss);
        expect(mos).toBeGreaterThanOrEqual(1);
        expect(mos).toBeLessThanOrEqual(4.5);
        expect(
          estimateMos(rtt + moreRtt, jitter + moreJitter, Math.min(loss + moreLoss, 1)),
        ).toBeLessThanOrEqual(mos);
      }),
    );
  });

  test('is rated good, fair or poor', () => {
    expect(qualityLevel([])).toBe('unknown');
    expect(qualityLevel([{ ...fine, mos: null }])).toBe('unknown');
    expect(qualityLevel([fine, fine])).toBe('good');
    expect(qualityLevel([{ ...fine, mos: 3.5 }])).toBe('fair');
    expect(qualityLevel([{ ...fine, mos: 2 }])).toBe('poor');
  });
});
