/**
 * Push notifications of real calls. A burst: one RING_ALL offer wakes many devices within two seconds. Kills: a call rings an agent whose
 * app is closed while realtime or the worker is killed at a random moment; the device receives the call once and in time, or not at all.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createSecretBox } from '@clarion/core/security/secret-box';
import type { PushDevice } from '@clarion/testkit/peers/push-devices';
import { line, newNumber, openCallCentre } from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';
import { SeededRandom } from './lib/seeded-random.ts';

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '1000' },
    bursts: { type: 'string', default: '5' },
    times: { type: 'string', default: '20' },
    only: { type: 'string', default: 'realtime,worker' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const tenant = 'shop';
/** From the INVITE. */
const BURST_WITHIN_MS = 2_000;
const BURST_TIMEOUT_MS = 20_000;
/** The personal line of the kills. */
const RING_SECONDS = 8;
/** Kills occur until this long after the INVITE: before the offer, between offer and push, and after the push. */
const KILL_WITHIN_MS = 400;
const SETTLED_MS = 1_000;

const say = (text: string) => process.stdout.write(`${text}\n`);
const random = new SeededRandom(Number(values.seed));
let failed = 0;
const fail = (text: string) => {
  failed += 1;
  say(`  ${text}`);
};

/** Agents who closed their app, each with one Android phone, and the number of a queue that rings all of them. */
async function openCrowd(t: TestStack, size: number): Promise<{ number: string; tokens: string[] }> {
  const secrets = createSecretBox((t.stack.env.CLARION_MASTER_KEY ?? '').split(',') as [string]);
  const { id: tenantId } = await t.db.tenant.findFirstOrThrow({ where: { ref: tenant } });
  const rows = await t.db.agent.createManyAndReturn({
    data: Array.from({ length: size }, (_, index) => ({
      tenantId,
      ref: `crowd-${index}`,
      name: `Crowd ${index}`,
      shift: 'AVAILABLE' as const,
    })),
    select: { id: true },
  });
  const queue = await t.db.queue.create({
    data: {
      tenantId,
      ref: 'crowd',
      name: 'Crowd',
      strategy: 'RING_ALL',
      members: { create: rows.map(({ id }) => ({ agentId: id })) },
    },
  });
  const tokens = rows.map(() => t.devices.newAndroidToken());
  await t.db.pushToken.createMany({
    data: rows.map(({ id }, index) => ({
      agentId: id,
      deviceId: 'phone',
      platform: 'ANDROID',
      provider: 'FCM',
      tokenSealed: secrets.seal('push-token', tokens[index] ?? ''),
      tokenHash: `crowd-${index}`,
    })),
  });
  const number = newNumber();
  await t.db.channel.create({
    data: {
      tenantId,
      ref: 'crowd',
      type: 'SIP',
      address: number,
      sipTrunkId: t.account.trunkId,
      inboundQueueId: queue.id,
    },
  });
  return { number, tokens };
}

async function burst(t: TestStack, { number, tokens }: { number: string; tokens: string[] }): Promise<void> {
  t.devices.simulator.reset();
  const phone = await t.phone();
  const call = await phone.call(number, t.sip);
  const invitedAt = performance.now();
  const all = tokens.map((token) => t.devices.simulator.received(token, 1, BURST_TIMEOUT_MS));
  const arrived = await Promise.allSettled(all);
  const tookMs = Math.round(performance.now() - invitedAt);
  const missing = arrived.filter(({ status }) => status === 'rejected').length;
  await call.hangUp();
  await call.ended();
  await sleep(SETTLED_MS);
  const twice = tokens.filter((token) => incomingOf(t, token) > 1).length;
  say(`${tokens.length} devices: ${tookMs} ms until the last one was woken`);
  if (missing > 0) fail(`${missing} were not woken`);
  if (twice > 0) fail(`${twice} were woken twice`);
  if (tookMs > BURST_WITHIN_MS) fail(`longer than ${BURST_WITHIN_MS} ms`);
}

const incomingOf = (t: TestStack, token: string): number =>
  t.devices.simulator.inbox(token).filter(({ data }) => data['type'] === 'call.incoming').length;

/** @returns what happened, in a few words */
async function killDuringOneCall(
  t: TestStack,
  number: string,
  device: PushDevice,
  name: 'realtime' | 'worker',
): Promise<string> {
  t.devices.simulator.reset();
  const { _max: before } = await t.db.pushNotification.aggregate({ _max: { id: true } });
  const phone = await t.phone();
  const arrival = { at: 0 };
  void device.received().then(
    () => (arrival.at = Date.now()),
    () => undefined,
  );
  const killed = sleep(random.between(0, KILL_WITHIN_MS)).then(() => t.stack.kill(name, 'SIGKILL'));
  const call = await phone.call(number, t.sip);
  await killed;
  await t.stack.waitHealthy(name);
  await call.ended((RING_SECONDS + 30) * 1_000).catch(() => call.hangUp());
  await sleep(SETTLED_MS);
  const received = t.devices.simulator
    .inbox(device.token)
    .filter(({ data }) => data['type'] === 'call.incoming');
  // Absent: the call was not admitted, because realtime was killed before.
  const row = await t.db.pushNotification.findFirst({
    where: { kind: 'INCOMING', deviceId: device.deviceId, id: { gt: before.id ?? 0 } },
  });
  const calls = new Set(received.map(({ data }) => data['callId']));
  if (received.length > calls.size) fail(`${name}: one call woke the device ${received.length} times`);
  for (const { data } of received) {
    if (arrival.at > Date.parse(String(data['expiresAt']))) fail(`${name}: the device was woken too late`);
  }
  if (received.length === 0 && row?.status === 'SENT')
    fail(`${name}: a notification that was sent did not arrive`);
  return received.length === 0 ? `not sent (${row?.status ?? 'no call'})` : 'sent once';
}

const t = await TestStack.boot();
try {
  await openCallCentre(t);
  await t.devices.setCredentials(t.v1);
  say(`seed ${values.seed}`);
  const crowd = await openCrowd(t, Number(values.devices));
  for (let round = 0; round < Number(values.bursts); round += 1) await burst(t, crowd);

  const device = await t.devices.register(t.v1, { tenant, agent: 'ada', deviceId: 'pixel', kind: 'ANDROID' });
  const own = await line(t, 'own', { owner_agent_ref: 'ada', ring_timeout_seconds: RING_SECONDS });
  for (const name of values.only.split(',') as ('realtime' | 'worker')[]) {
    const outcomes = new Map<string, number>();
    for (let round = 0; round < Number(values.times); round += 1) {
      const outcome = await killDuringOneCall(t, own, device, name);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    say(
      `${name}: ${values.times} kills; ${[...outcomes].map(([what, count]) => `${count} × ${what}`).join(', ')}`,
    );
  }
} finally {
  await t.stop();
}
say(failed === 0 ? 'every call woke each device once and in time, or not at all' : `${failed} problems`);
process.exit(failed === 0 ? 0 : 1);
