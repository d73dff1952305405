/**
 * `npm run bench -- board [--calls 500] [--agents 300] [--changes 50] [--seconds 20]`: the live board in a real browser on the real stack,
 * while rows change and notifications are sent as by the engine; then whether the page matches the API.
 */
import { parseArgs } from 'node:util';
import { boardDifferences } from '@clarion/testkit/load/board-numbers';
import { BoardStorm } from '@clarion/testkit/load/board-storm';
import { createStaff, signIn } from '@clarion/testkit/stack/dashboard';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';

import { measureScripting } from './board/scripting.ts';

/** The time of one frame at 60 frames a second. Scripting must stay below it. */
const FRAME_MS = 16;
const AT_REST_WITHIN_MS = 30_000;

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '500' },
    agents: { type: 'string', default: '300' },
    changes: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '20' },
  },
});
const [calls, agents, changes, seconds] = [values.calls, values.agents, values.changes, values.seconds].map(
  Number,
) as [number, number, number, number];
const say = (line: string) => process.stdout.write(`${line}\n`);

const t = await TestStack.boot();
const browser = await TestBrowser.launch();
try {
  await openCallCentre(t);
  const storm = await BoardStorm.create({ db: t.db, tenantRef: 'shop', calls, agents });
  const owner = await createStaff(t);
  const { page } = await browser.open(`${t.baseUrl}/app/sign-in`);
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page, t.baseUrl, owner, { to: '/app/t/shop/live' });
  await page.getByText('Live', { exact: true }).waitFor();
  say(`${calls} calls, ${agents} agents, ${changes} changes a second for ${seconds} s`);
  const startedAt = performance.now();
  const scripting = await measureScripting(page, () => storm.run(changes * seconds, seconds * 1000));
  const rate = (changes * seconds * 1000) / (performance.now() - startedAt);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  say(`  changes made          ${rate.toFixed(1)} a second`);
  say(`  frames                ${scripting.frames}`);
  say(
    `  scripting per frame   p50 ${ms(scripting.p50Ms)}, p99 ${ms(scripting.p99Ms)}, max ${ms(scripting.maxMs)} (processor time)`,
  );
  say(`                        p99 ${ms(scripting.wallP99Ms)} (clock)`);
  say(`  scripts ran           ${scripting.busyPercent.toFixed(1)} % of the time`);
  say(`  long frames           ${scripting.longFrames}`);
  const wrong = await boardDifferences(t, page, { tenant: 'shop', withinMs: AT_REST_WITHIN_MS });
  say(wrong.length === 0 ? '  at rest               every number is the API’s' : wrong.join('\n'));
  await storm.clear();
  if (wrong.length > 0 || scripting.p99Ms > FRAME_MS) process.exitCode = 1;
} finally {
  await browser.close();
  await t.stop();
}
process.exit();
