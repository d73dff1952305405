/**
 * Ten minutes of pulses on both sides of a recorded call, with new SSRCs and holds on the way: left and right of the file stay within
 * 40 ms of each other. `--seconds N` for another length.
 */
import { parseArgs } from 'node:util';
import { TestStack } from '@clarion/testkit/stack/stack';
import { measureSkew } from '@clarion/testkit/recordings/recording-skew';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';

const MAX_SKEW_MS = 40;
const UNREST_SECONDS = 20;
/** A hold hides one pulse or two of the agent's. */
const MIN_HEARD = 0.8;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' } } });
const seconds = Number(values.seconds);
const t = await TestStack.boot();
try {
  const shop = await openCallCentre(t);
  await t.v1.ok('PUT', '/v1/recording-policy', { enabled: true });
  const ada = await t.agent('ada');
  await ada.available();
  process.stderr.write(`… a call of ${seconds} s\n`);
  const skew = await measureSkew(t, shop, ada, { seconds, unrestSeconds: UNREST_SECONDS });
  process.stdout.write(
    `recorded ${skew.seconds.toFixed(1)} s, ${skew.pulses} pulses on both sides: ` +
      `${skew.worstMs.toFixed(1)} ms apart at worst, ${skew.meanMs.toFixed(1)} ms on average\n`,
  );
  const isProved = skew.worstMs < MAX_SKEW_MS && skew.pulses >= seconds * MIN_HEARD;
  process.stdout.write(isProved ? 'proved\n' : `not proved: at most ${MAX_SKEW_MS} ms\n`);
  process.exitCode = isProved ? 0 : 1;
} finally {
  await t.stop();
}
