/** Repeatedly kills each process at random moments of calls: every call ends exactly once, with a signed event and the right duration. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { lifeOf, openCallCentre } from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { ProcessName } from '@clarion/devkit/stack/stack';
import { SeededRandom } from './lib/seeded-random.ts';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '20' },
    only: { type: 'string', default: 'realtime,worker,web,media,postgres' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
/** A call that rings and talks for a fixed time; the kill occurs at a random moment. */
const RING_MS = 700;
const TALK_MS = 2500;
const SETTLED_WITHIN_MS = 45_000;
const DURATION_SLACK_SECONDS = 2;

const say = (line: string) => process.stdout.write(`${line}\n`);

const random = new SeededRandom(Number(values.seed));

interface Verdict {
  reason: string;
  problem: string | null;
}

async function oneCall(t: TestStack, number: string, name: ProcessName, killAtMs: number): Promise<Verdict> {
  const agent: ScriptedAgent = await t.agent('ada', { reconnect: true });
  try {
    await agent.available();
    const phone = await t.phone();
    const kill = sleep(killAtMs).then(async () => {
      await t.stack.kill(name, name === 'postgres' ? 'SIGINT' : 'SIGKILL');
      await t.stack.waitHealthy(name);
    });
    const call = await phone.call(number, t.sip);
    const talk = async () => {
      const { callId } = await agent.incoming(SETTLED_WITHIN_MS);
      await sleep(RING_MS);
      const leg = await agent.accept(callId);
      leg.sendTone(1000);
    };
    // Whatever the kill disturbs, the caller hangs up in the end. The reported outcome is what counts.
    await Promise.race([talk(), call.ended(SETTLED_WITHIN_MS)]).catch(() => undefined);
    if (call.state === 'answered') call.audio.sendTone(440);
    await Promise.race([sleep(TALK_MS), call.ended(SETTLED_WITHIN_MS)]);
    await call.hangUp().catch(() => undefined);
    await kill;
    const talkedSeconds = call.times.answered ? ((call.times.ended ?? 0) - call.times.answered) / 1000 : 0;
    const callId = callIdOf(agent) ?? (await newest(t));
    if (callId === null) return { reason: 'refused before it was a call', problem: null };
    const { ended } = await lifeOf(t, callId, SETTLED_WITHIN_MS);
    const off = Math.abs(ended.durations.call - talkedSeconds);
    const excused = ended.status === 'FAILED'; // a lost media node ends the call before the caller notices
    const problem =
      off > DURATION_SLACK_SECONDS && !excused
        ? `lasted ${ended.durations.call} s, not ${talkedSeconds.toFixed(1)} s`
        : null;
    return { reason: `${ended.terminationReason} by ${ended.terminatedBy}`, problem };
  } finally {
    t.release();
  }
}

const callIdOf = (agent: ScriptedAgent): number | null =>
  agent.received.findLast(({ event }) => event === 'call:incoming')?.payload.call?.callId ?? null;

let lastSeen = 0;
/** The newest call if it was created since the last check. */
async function newest(t: TestStack): Promise<number | null> {
  const { calls } = await t.v1.ok<{ calls: { callId: number }[] }>('GET', '/v1/tenants/shop/calls?limit=1');
  const callId = calls[0]?.callId ?? 0;
  if (callId <= lastSeen) return null;
  lastSeen = callId;
  return callId;
}

const t = await TestStack.boot();
let failed = 0;
try {
  const shop = await openCallCentre(t);
  say(`seed ${values.seed}`);
  for (const name of values.only.split(',') as ProcessName[]) {
    const reasons = new Map<string, number>();
    for (let round = 0; round < Number(values.times); round += 1) {
      const killAtMs = Math.round(random.between(0, RING_MS + TALK_MS + 500));
      const { reason, problem } = await oneCall(t, shop.main, name, killAtMs).catch((error: Error) => ({
        reason: 'not settled',
        problem: error.message.split('\n')[0] ?? '',
      }));
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      if (problem) {
        failed += 1;
        say(`  ${name}, killed ${killAtMs} ms into the call: ${problem}`);
      }
    }
    say(
      `${name}: ${values.times} kills; ${[...reasons].map(([reason, count]) => `${count} × ${reason}`).join(', ')}`,
    );
  }
} finally {
  await t.stop();
}
say(failed === 0 ? 'every call ended exactly once' : `${failed} calls did not end as they should`);
process.exit(failed === 0 ? 0 : 1);
