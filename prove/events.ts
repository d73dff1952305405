/**
 * 10,000 events to 20 consumers, three of them slow or dead, and a worker killed meanwhile: no event is lost, hardly any is sent twice, all
 * are in time.
 */
import { parseArgs } from 'node:util';
import { applyMigrations } from '@clarion/db/migrate';
import { deliveryStorm, stormComplaints } from '@clarion/testkit/load/delivery-storm';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';

const { values } = parseArgs({
  options: { events: { type: 'string', default: '10000' }, seconds: { type: 'string', default: '60' } },
});
const plan = {
  events: Number(values.events),
  healthy: 17,
  slow: 2,
  dead: 1,
  seconds: Number(values.seconds),
  killAtSecond: Number(values.seconds) * 0.4,
};
const say = (line: string) => process.stdout.write(`${line}\n`);

const server = await startTemporaryPostgres();
try {
  await applyMigrations(server.url);
  const result = await deliveryStorm(server.url, plan);
  say(
    `${plan.events} events in ${plan.seconds} s to ${plan.healthy} healthy, ${plan.slow} slow, ${plan.dead} dead endpoints`,
  );
  say(
    `healthy: ${result.delivered} of ${result.recordedForHealthy} delivered, ${result.duplicates} of them twice`,
  );
  say(`delay: median ${result.medianMs} ms, p99 ${result.p99Ms} ms`);
  say(
    `a killed worker had ${result.heldByKilled} deliveries; others went on with them after ${result.continuedAfterKillMs} ms`,
  );
  say(
    `slow and dead: ${result.stillToCome} of ${result.recordedForOthers} wait for their next attempt; ${result.slowAttempts} hung`,
  );
  const wrong = stormComplaints(result);
  say(wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await server.stop();
}
