/**
 * Two realtime nodes and two media nodes, as in larger installations: calls and agents on any node reach each other, and when a node
 * dies, the others take over whatever they can.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { meanPower } from '@clarion/test-phone/audio/goertzel';
import { streamQuality, toSamples } from '@clarion/test-phone/rtp/port';
import { TestStack, type RealtimeName } from '@clarion/testkit/stack/stack';
import { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { type ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { type SipCall } from '@clarion/test-phone/sip/call';
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import {
  endLiveCalls,
  intend,
  lifeOf,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';
import { callDetail } from '@clarion/protocol/call';

const AGENTS = ['ada', 'bob', 'cyd', 'dee'];
const NODES: RealtimeName[] = ['realtime', 'realtime2'];
/** A dead node is detected 6 to 8 s after its last heartbeat. Its agents have reconnected long before. */
const ENDS_WITHIN_MS = 30_000;
const BACK_WITHIN_MS = 8_000;
/** Longer than the calls of a test. */
const DRAIN_SECONDS = 120;

interface Talk {
  agent: ScriptedAgent;
  agentRef: string;
  call: SipCall;
  leg: WebRtcLeg;
  callId: number;
}

let t: TestStack;
let shop: CallCentreFixture;

beforeAll(async () => {
  t = await TestStack.boot({
    second: ['realtime', 'media'],
    env: { CLARION_MEDIA_DRAIN_SECONDS: String(DRAIN_SECONDS) },
  });
  shop = await openCallCentre(t, { agents: AGENTS });
  await t.v1.ok('PUT', '/v1/tenants/shop/agents/sue', { name: 'sue', role: 'SUPERVISOR' });
  await vi.waitFor(async () => expect(await mediaNodesSeen()).toEqual([2, 2]), { timeout: 15_000 });
});
const duty: ScriptedAgent[] = [];
afterEach(async () => {
  // Otherwise the next test's calls could ring agents that are still listed as connected to a dead node.
  await Promise.all(duty.splice(0).map((agent) => agent.send('availability:set', { status: 'OFFLINE' })));
  t.release();
  await endLiveCalls(t);
});
afterAll(() => t?.stop());

/** The number of media nodes connected to each realtime node. */
const mediaNodesSeen = () => Promise.all(NODES.map((node) => figure(node, 'clarion_media_nodes')));

/** The legs of each media node, as each realtime node knows them. */
const legsKnown = () => Promise.all(NODES.map((node) => figures(node, 'clarion_media_legs')));

const figure = async (node: RealtimeName, name: string): Promise<number | undefined> =>
  (await figures(node, name))[0];

/** One for each combination of labels. */
async function figures(node: RealtimeName, name: string): Promise<number[]> {
  const { realtimeMetrics, realtimeMetrics2 } = t.stack.ports;
  const port = node === 'realtime' ? realtimeMetrics : realtimeMetrics2;
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (.+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  );
}

/** As the media node itself reports it. */
async function readiness(node: 'media' | 'media2'): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${t.stack.ports[node]}/readyz`);
  return ((await response.json()) as { status: string }).status;
}

/** As the operator's command lists them. */
async function drainingNodes(): Promise<{ legs: number | null }[]> {
  const nodes = await t.clarion<{ state: string; legs: number | null }[]>(['node', 'list']);
  return nodes.filter(({ state }) => state === 'draining').map(({ legs }) => ({ legs }));
}

/** Connects the agents to the nodes alternately and makes them available. */
async function onDuty(refs = AGENTS): Promise<Map<string, ScriptedAgent>> {
  const agents = new Map<string, ScriptedAgent>();
  for (const [i, ref] of refs.entries()) {
    const agent = await t.agent(ref, { reconnect: true, node: NODES[i % 2] ?? 'realtime' });
    await agent.available();
    duty.push(agent);
    agents.set(ref, agent);
  }
  return agents;
}

/** Places one call per agent, each answered and with audio in both directions. */
async function conversations(agents: Map<string, ScriptedAgent>): Promise<Talk[]> {
  const phone = await t.phone();
  const calls = new Map<string, SipCall>();
  const talks = [...agents].map(async ([agentRef, agent], i): Promise<Talk> => {
    const from = `4416329609${String(i).padStart(2, '0')}`;
    calls.set(`+${from}`, await phone.call(shop.main, t.sip, { from }));
    const offer = await agent.incoming();
    const leg = await agent.accept(offer.callId);
    const call = calls.get(offer.customer.address ?? '') as SipCall;
    await call.answered();
    return { agent, agentRef, call, leg, callId: offer.callId };
  });
  const all = await Promise.all(talks);
  for (const { call, leg } of all) {
    call.audio.sendTone(440);
    leg.sendTone(1000);
  }
  await Promise.all(all.flatMap(({ call, leg }) => [hearsTone(call.audio, 1000), hearsTone(leg, 440)]));
  return all;
}

/** The media process of a call, by its port: each process has one half of the range. */
function mediaOf({ call }: Pick<Talk, 'call'>): 'media' | 'media2' {
  const [first = 0, last = 0] = (t.stack.env.CLARION_RTP_PORTS ?? '').split('-').map(Number);
  return (call.audio.remote?.port ?? 0) < first + (last - first + 1) / 2 ? 'media' : 'media2';
}

async function withoutLoss(talks: Talk[], work: () => Promise<unknown>): Promise<void> {
  const from = performance.now();
  await work();
  const sent = (performance.now() - from) / 20;
  for (const { call, leg } of talks) {
    for (const side of [call.audio, leg]) {
      const quality = () => streamQuality(side.heard.filter(({ at }) => at > from));
      // This process may not have read all packets yet.
      await vi.waitFor(() => expect(quality().received).toBeGreaterThan(sent * 0.9));
      expect(quality()).toMatchObject({ lost: 0, duplicates: 0 });
    }
  }
}

/** Checks only for sound, because customer and agent together are two tones. */
const hearsAnything = (ear: WebRtcLeg) =>
  vi.waitFor(
    () => {
      const recent = ear.heard.filter(({ at }) => at > performance.now() - 200);
      expect(recent.length).toBeGreaterThan(5);
      expect(meanPower(toSamples(recent, ear.law))).toBeGreaterThan(0);
    },
    { timeout: 5000 },
  );

async function completed({ callId, agentRef }: Talk): Promise<void> {
  const { ended } = await lifeOf(t, callId, ENDS_WITHIN_MS);
  expect(ended).toMatchObject({ status: 'TERMINATED', terminationReason: 'COMPLETED', agentRef });
}

describe('two nodes of each', () => {
  test('calls are distributed over the media nodes and answered by agents on both realtime nodes', async () => {
    const agents = await onDuty();
    const talks = await conversations(agents);
    const inbound = talks.map(mediaOf).toSorted();
    expect(inbound).toEqual(['media', 'media', 'media2', 'media2']);
    expect(await Promise.all(NODES.map((node) => figure(node, 'clarion_agent_sockets')))).toEqual([2, 2]);
    // Either side hangs up. Each end is reported once, whichever node received it.
    await Promise.all(
      talks.map(({ call, agent, callId }, i) => (i % 2 ? call.hangUp() : agent.hangUp(callId))),
    );
    await Promise.all(talks.map(completed));

    // Calls go to the media node with fewer legs, and media nodes report them half a second after a change.
    await expect.poll(legsKnown).toEqual([
      [0, 0],
      [0, 0],
    ]);
    t.carrier.behaviour = { do: 'answer' };
    const dialled = await Promise.all(
      talks.map(async ({ agent, agentRef }, i) => {
        const callId = await intend(t, agentRef, { address: `+44207946099${i}` });
        await agent.start(callId);
        return callId;
      }),
    );
    const answered = () => t.carrier.calls.filter(({ state }) => state === 'answered');
    await expect.poll(() => answered().length).toBe(4);
    expect(new Set(answered().map((call) => mediaOf({ call }))).size).toBe(2);
    await Promise.all(dialled.map((callId, i) => talks[i]?.agent.hangUp(callId)));
    await Promise.all(dialled.map((callId) => lifeOf(t, callId)));
  });

  test('a call rings on every device of its agent on both nodes, and is withdrawn on both', async () => {
    const [desk, mobile] = await Promise.all(NODES.map((node) => t.agent('ada', { node, deviceId: node })));
    await desk?.available();
    const phone = await t.phone();
    const call = await phone.call(shop.main, t.sip);
    const [offer] = await Promise.all([desk?.incoming(), mobile?.incoming()]);
    const callId = offer?.callId ?? 0;
    await mobile?.accept(callId);
    await call.answered();
    expect((await desk?.waitFor(({ event }) => event === 'call:withdrawn'))?.payload).toMatchObject({
      callId,
      reason: 'ANSWERED_ELSEWHERE',
    });
    await mobile?.hangUp(callId);
    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'AGENT' });
  });

  test('a supervisor on one node sees the calls of both nodes on the board and can listen to those of the other', async () => {
    const agents = await onDuty(['ada', 'bob']);
    const supervisor = await t.agent('sue', { node: 'realtime2', role: 'SUPERVISOR' });
    await supervisor.send('board:subscribe', {});
    const talks = await conversations(agents);
    for (const { callId } of talks) {
      await supervisor.waitFor(
        ({ event, payload: { call } }) =>
          event === 'board:call' && call?.callId === callId && call.state === 'active',
      );
    }
    const [talk] = talks;
    const ear = new WebRtcLeg();
    const callId = talk?.callId ?? 0;
    const { sdpAnswer } = await supervisor.send('monitor:start', {
      callId,
      sdpOffer: await ear.offer(),
      mode: 'LISTEN',
    });
    await ear.accept(sdpAnswer);
    ear.sendTone(1500);
    await hearsAnything(ear);
    await supervisor.send('monitor:stop', { callId });
    ear.close();
    await Promise.all(talks.map(({ call }) => call.hangUp()));
    await Promise.all(talks.map(completed));
    await supervisor.waitFor(({ event, payload }) => event === 'board:call' && payload.removed === callId);
  });

  test('an agent can transfer a call to a colleague on the other node', async () => {
    const agents = await onDuty(['ada', 'bob']);
    const [ada, bob] = [agents.get('ada'), agents.get('bob')];
    await bob?.send('availability:set', { status: 'OFFLINE' });
    const [talk] = await conversations(new Map([['ada', ada as ScriptedAgent]]));
    const { callId, call } = talk as Talk;
    await ada?.send('call:transfer', { callId, agentId: bob?.session?.agent.agentId ?? 0 });
    await bob?.incoming();
    const leg = (await bob?.accept(callId)) as WebRtcLeg;
    leg.sendTone(1300);
    await Promise.all([hearsTone(call.audio, 1300, 4000), hearsTone(leg, 440, 4000)]);
    await call.hangUp();
    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({ terminationReason: 'COMPLETED', agentRef: 'bob' });
  });

  test.each(NODES)(
    'when %s dies, no call and no packet is lost, and its agents continue on the other node',
    async (node) => {
      const agents = await onDuty();
      const talks = await conversations(agents);
      const other = NODES.find((each) => each !== node) ?? node;
      try {
        await withoutLoss(talks, async () => {
          await t.stack.processes[node]?.takeDown();
          await expect
            .poll(() => figure(other, 'clarion_agent_sockets'), { timeout: BACK_WITHIN_MS })
            .toBe(AGENTS.length);
        });
        // The other node processes the actions of the dead one's agents and callers.
        await Promise.all(
          talks.map(({ call, agent, callId }, i) => (i < 2 ? agent.hangUp(callId) : call.hangUp())),
        );
        await Promise.all(talks.map(completed));
        // New calls work without it.
        const more = await conversations(agents);
        await Promise.all(more.map(({ call }) => call.hangUp()));
        await Promise.all(more.map(completed));
      } finally {
        t.stack.processes[node]?.bringUp();
        await t.stack.waitHealthy(node);
        await t.stack.waitReady(node);
      }
    },
  );

  test('a waiting caller is offered to an agent on the remaining node, and no deadline is lost', async () => {
    const phone = await t.phone();
    const call = await phone.call(shop.main, t.sip);
    await call.rings();
    try {
      await t.stack.processes.realtime?.takeDown();
      const ada = await t.agent('ada', { node: 'realtime2' });
      await ada.available();
      const { callId } = await ada.incoming(ENDS_WITHIN_MS);
      await ada.accept(callId);
      await call.answered();
      await call.hangUp();
      const { ended } = await lifeOf(t, callId, ENDS_WITHIN_MS);
      expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER' });
    } finally {
      t.stack.processes.realtime?.bringUp();
      await t.stack.waitReady('realtime');
    }
  });

  test('a media node that drains keeps its calls, gets no new ones in either direction, and stops when they have ended', async () => {
    const agents = await onDuty();
    const talks = await conversations(agents);
    const kept = talks.filter((talk) => mediaOf(talk) === 'media2');
    const others = talks.filter((talk) => mediaOf(talk) === 'media');
    expect([kept.length, others.length]).toEqual([2, 2]);
    await Promise.all(others.map(({ call }) => call.hangUp()));
    await Promise.all(others.map(completed));
    const pid = t.stack.processes.media2?.pid ?? 0;
    await withoutLoss(kept, async () => {
      process.kill(pid, 'SIGTERM');
      await expect.poll(() => readiness('media2')).toBe('draining');
      // Written by the realtime nodes' heartbeats.
      await expect.poll(drainingNodes, { timeout: 5_000 }).toEqual([{ legs: 4 }]);
      const more = await conversations(new Map(others.map(({ agent, agentRef }) => [agentRef, agent])));
      expect(more.map(mediaOf)).toEqual(['media', 'media']);
      await Promise.all(more.map(({ call }) => call.hangUp()));
      await Promise.all(more.map(completed));

      t.carrier.behaviour = { do: 'answer' };
      const { length } = t.carrier.calls;
      for (const { agent, agentRef } of others)
        await agent.start(await intend(t, agentRef, { address: '+442079460990' }));
      await expect
        .poll(() => t.carrier.calls.slice(length).map(({ state }) => state))
        .toEqual(['answered', 'answered']);
      expect(t.carrier.calls.slice(length).map((call) => mediaOf({ call }))).toEqual(['media', 'media']);
    });
    expect(t.stack.processes.media2?.pid).toBe(pid);
    await Promise.all(kept.map(({ agent, callId }) => agent.hangUp(callId)));
    await Promise.all(kept.map(completed));
    await expect.poll(() => t.stack.processes.media2?.pid, { timeout: 15_000 }).not.toBe(pid);
    await t.stack.waitReady('media2');
  });

  test('when a media node dies, its calls end once as FAILED, and those of the other continue', async () => {
    const agents = await onDuty();
    const talks = await conversations(agents);
    const lost = talks.filter((talk) => mediaOf(talk) === 'media2');
    const kept = talks.filter((talk) => mediaOf(talk) === 'media');
    expect([lost.length, kept.length]).toEqual([2, 2]);
    const died = performance.now();
    await withoutLoss(kept, async () => {
      await t.stack.kill('media2', 'SIGKILL');
      for (const { callId, call } of lost) {
        const { ended } = await lifeOf(t, callId, ENDS_WITHIN_MS);
        expect(ended).toMatchObject({
          status: 'FAILED',
          terminationReason: 'SYSTEM_ERROR',
          terminatedBy: 'SYSTEM',
        });
        expect(await call.ended()).toMatchObject({ how: 'bye-received' });
        // No carrier leg may outlive its call by more than 10 s (docs/requirements.md#calls).
        expect((call.times.ended ?? Infinity) - died).toBeLessThan(10_000 + 5_000);
      }
    });
    await Promise.all(kept.map(({ agent, callId }) => agent.hangUp(callId)));
    await Promise.all(kept.map(completed));
    for (const { callId } of kept) {
      const { events } = callDetail.parse(await t.v1.ok('GET', `/v1/calls/${callId}`));
      expect(events.filter(({ type }) => type === 'ENDED')).toHaveLength(1);
    }
    await t.stack.waitReady('media2');
  });
});
