/** Fifty devices pick up one RING_ALL call in one moment, thousands of times; a thousand requests for calls meet the plan's calls at once. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, makeGround, ringEverybody } from '@clarion/core/call-engine/__fixtures__/ring-all-race';
import type { Accept } from '@clarion/core/call-engine/__fixtures__/ring-all-race';
import { createDatabase } from '@clarion/db';
import type { Database } from '@clarion/db';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';

const { values } = parseArgs({
  options: {
    races: { type: 'string', default: '10000' },
    /** Stops earlier when they are over. */
    minutes: { type: 'string', default: '120' },
    creates: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '137' },
    processes: { type: 'string', default: '3' },
  },
});
const SAY_EVERY = 100;

const say = (line: string) => process.stdout.write(`${line}\n`);
const problems: string[] = [];

/** Each process takes every third device, so that the devices of one agent are in several. */
async function race(children: ChildProcess[], devices: Accept[]): Promise<Accept[]> {
  const shares = children.map((_, at) => devices.filter((__, index) => index % children.length === at));
  const answers = children.map(async (child) => ((await once(child, 'message')) as [Accept[]])[0]);
  children.forEach((child, at) => child.send(shares[at] ?? []));
  return (await Promise.all(answers)).flat();
}

async function ringAll(db: Database, url: string): Promise<void> {
  const ground = await makeGround(db);
  const children = Array.from({ length: Number(values.processes) }, () =>
    fork(join(import.meta.dirname, 'races/device-process.ts'), [url]),
  );
  for (const child of children) {
    child.once('exit', (code) => {
      if (code) throw new Error('a process full of devices died');
    });
  }
  const started = Date.now();
  const winners = new Set<string>();
  let races = 0;
  try {
    while (races < Number(values.races) && Date.now() - started < Number(values.minutes) * 60_000) {
      const devices = await ringEverybody(db, ground);
      const won = await race(children, devices);
      for (const { agentId, deviceId } of won) winners.add(`${agentId} ${deviceId}`);
      problems.push(...(await judge(db, ground, won)));
      races += 1;
      if (races % SAY_EVERY === 0) say(`  ${races} races, ${problems.length} problems`);
    }
  } finally {
    for (const child of children) child.kill();
  }
  const seconds = (Date.now() - started) / 1000;
  say(
    `${races} races among 50 devices of 10 agents in ${children.length} processes: ${problems.length} problems, ` +
      `${winners.size} different devices won, ${Math.round((1000 * seconds) / races)} ms a race`,
  );
}

/** Over HTTP, as a backend asks. The limit of requests a minute is another proof's. */
async function callsAtOnce(t: TestStack, db: Database): Promise<void> {
  const atOnce = Number(values['at-once']);
  await openCallCentre(t);
  const { consumerId } = await db.tenant.findFirstOrThrow({ where: { ref: 'shop' } });
  await db.consumer.update({
    where: { id: consumerId },
    data: { planCallsAtOnce: atOnce, planOutboundPerMinute: 100_000 },
  });
  const body = { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } };
  const counts = new Map<string, number>();
  let again = 0;
  await Promise.all(
    Array.from({ length: Number(values.creates) }, async () => {
      const ask = () => t.v1.request<{ error?: { code: string } }>('POST', '/v1/tenants/shop/calls', body);
      let answer = await ask();
      // A service that is busy beyond its time-outs says so with a 500, having done nothing: asked again, as a client does.
      for (; answer.status >= 500; answer = await ask()) again += 1;
      const what = answer.body.error?.code ?? String(answer.status);
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }),
  );
  const live = await db.liveCall.count({ where: { consumerId } });
  say(
    `${values.creates} creates at once under ${atOnce} calls at once: ${JSON.stringify(Object.fromEntries(counts))}, asked again ${again} times`,
  );
  if (live !== atOnce || counts.get('201') !== atOnce)
    problems.push(`${counts.get('201')} were created and ${live} are live, not ${atOnce}`);
  if ((counts.get('too_many_calls') ?? 0) + atOnce !== Number(values.creates))
    problems.push('some were refused for another reason');
}

const t = await TestStack.boot({ only: ['web'] });
const url = t.stack.env['DATABASE_URL'] ?? '';
const db = createDatabase(url, { connections: 4 });
try {
  await callsAtOnce(t, db);
  await ringAll(db, url);
} finally {
  await db.$disconnect();
  await t.stop();
}
for (const problem of problems.slice(0, 20)) say(problem);
say(problems.length === 0 ? 'Never two answers, never a call too many.' : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
