/** Kills the web process while calls are created under Idempotency-Keys, over and over: each key ends with one call and one answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createDatabase } from '@clarion/db';
import type { Database } from '@clarion/db';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { V1Answer } from '@clarion/testkit/stack/v1-client';

const { values } = parseArgs({
  options: { times: { type: 'string', default: '20' }, keys: { type: 'string', default: '20' } },
});
/** A request every so often; the kill falls anywhere among them. */
const EVERY_MS = 5;
const STUCK_FOR = '2 minutes';
const AGAIN_AFTER_MS = 100;
const PATIENCE_MS = 30_000;

const say = (line: string) => process.stdout.write(`${line}\n`);
type Answer = V1Answer<{ call?: { callId: number }; error?: { code: string } }>;

const create = (t: TestStack, key: string): Promise<Answer> =>
  t.v1.request(
    'POST',
    '/v1/tenants/shop/calls',
    { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' }, external_ref: key },
    { 'idempotency-key': key },
  );

/** As a client does it: again until it is answered. A claim that nobody will finish is made two minutes old first. */
async function settled(t: TestStack, db: Database, key: string): Promise<Answer> {
  const until = Date.now() + PATIENCE_MS;
  let aged = false;
  for (;;) {
    const answer = await create(t, key).catch(() => null);
    if (answer && answer.status === 201) return answer;
    if (answer && answer.body.error?.code !== 'idempotency_key_in_use') {
      throw new Error(`${key}: answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    if (answer && aged) throw new Error(`${key} is in use after two minutes`);
    if (answer) {
      await db.$executeRaw`
        update "IdempotencyKey" set "claimedAt" = "claimedAt" - ${STUCK_FOR}::interval where "key" = ${key}`;
      aged = true;
    }
    if (Date.now() > until) throw new Error(`${key} was not answered`);
    await sleep(AGAIN_AFTER_MS);
  }
}

const t = await TestStack.boot({ only: ['web'] });
const db = createDatabase(t.stack.env['DATABASE_URL'] ?? '', { connections: 2 });
const outcomes = { 'answered before the kill': 0, 'stored, and replayed': 0, 'run by the retry': 0 };
let failed = 0;
try {
  await openCallCentre(t);
  await db.consumer.updateMany({ data: { planCallsAtOnce: 100_000, planOutboundPerMinute: 100_000 } });
  for (let round = 0; round < Number(values.times); round += 1) {
    // The limit of a minute is another proof's.
    await db.rateWindow.deleteMany();
    const keys = Array.from({ length: Number(values.keys) }, (_, n) => `kill-${round}-${n}`);
    const asked = keys.map((key, n) => sleep(n * EVERY_MS).then(() => create(t, key).catch(() => null)));
    await sleep(Math.random() * keys.length * EVERY_MS * 2);
    await t.stack.kill('web', 'SIGKILL');
    await t.stack.waitHealthy('web');
    for (const [n, key] of keys.entries()) {
      const before = await asked[n];
      const after = await settled(t, db, key);
      const calls = await db.call.count({ where: { externalRef: key } });
      const replayed = after.headers.get('idempotent-replayed') === 'true';
      const changed = before?.body.call && before.body.call.callId !== after.body.call?.callId;
      if (calls !== 1 || changed || (before?.status === 201 && !replayed)) {
        failed += 1;
        say(
          `  ${key}: ${calls} calls, answered ${JSON.stringify(before?.body)} and ${JSON.stringify(after.body)}`,
        );
      }
      const outcome =
        before?.status === 201
          ? 'answered before the kill'
          : replayed
            ? 'stored, and replayed'
            : 'run by the retry';
      outcomes[outcome] += 1;
    }
  }
} finally {
  await db.$disconnect();
  await t.stop();
}
say(
  `${values.times} kills: ${Object.entries(outcomes)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')}`,
);
say(failed === 0 ? 'each key made one call and has one answer' : `${failed} keys did not`);
process.exit(failed === 0 ? 0 : 1);
