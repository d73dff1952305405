/** The SIP ladder of real calls, read through the API: a transferred and whispered call, a failed one, and a refused one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallLadderResource } from '@clarion/protocol/v1/call/ladder';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { intend, isOf, openCallCentre, type CallCentreFixture } from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';

/** A ladder is stored shortly after the end of its call. */
const STORED_WITHIN_MS = 8_000;
const WHISPER_HZ = 1_500;
const AGENT_HZ = 1_000;

let t: TestStack;
let shop: CallCentreFixture;
let ada: ScriptedAgent;
let bob: ScriptedAgent;
let sue: ScriptedAgent;
let bobId: number;

beforeAll(async () => {
  t = await TestStack.share();
  shop = await openCallCentre(t, { agents: ['ada'] });
  const at = '/v1/tenants/shop';
  await t.v1.ok('PUT', at, { name: 'Shop', settings: { monitoring: { modes: ['listen', 'whisper'] } } });
  ({
    agent: { id: bobId },
  } = await t.v1.ok<{ agent: { id: number } }>('PUT', `${at}/agents/bob`, { name: 'Bob' }));
  await t.v1.ok('PUT', `${at}/agents/sue`, { name: 'Sue', role: 'SUPERVISOR' });
  ada = await t.agent('ada');
  bob = await t.agent('bob');
  sue = await t.agent('sue', { role: 'SUPERVISOR' });
  await ada.available();
  await bob.available();
});
afterAll(() => t?.stop());

async function ladderOf(callId: number): Promise<CallLadderResource> {
  const path = `/v1/calls/${callId}/ladder`;
  await expect
    .poll(async () => (await t.v1.request('GET', path)).status, { timeout: STORED_WITHIN_MS })
    .toBe(200);
  return (await t.v1.ok<{ ladder: CallLadderResource }>('GET', path)).ladder;
}

/** `INVITE`, `200 INVITE` … of SIP; the summary of everything else. */
const shortOf = ({ kind, summary }: CallLadderResource['entries'][number]): string => {
  if (kind !== 'SIP') return summary;
  const response = /^(\d{3}) .*\((\w+)/.exec(summary);
  return response ? `${response[1]} ${response[2]}` : (summary.split(' ')[0] ?? '');
};

/** Whether these lines occur in this order, with others between them. */
function expectInOrder(lines: readonly string[], expected: readonly (string | RegExp)[]): void {
  let at = 0;
  for (const one of expected) {
    const found = lines.findIndex(
      (line, index) => index >= at && (typeof one === 'string' ? line === one : one.test(line)),
    );
    expect(found, `${one} after line ${at} of\n${lines.join('\n')}`).toBeGreaterThanOrEqual(0);
    at = found + 1;
  }
}

test('a transferred, whispered call shows the legs of all its parties in order', async () => {
  const call = await (await t.phone()).call(shop.main, t.sip);
  const { callId } = await ada.incoming();
  const leg = await ada.accept(callId);
  await call.answered();
  leg.sendTone(AGENT_HZ);
  await hearsTone(call.audio, AGENT_HZ);

  const listening = new WebRtcLeg('PCMA');
  const { sdpAnswer } = await sue.send('monitor:start', {
    callId,
    sdpOffer: await listening.offer(),
    mode: 'WHISPER',
  });
  await listening.accept(sdpAnswer);
  listening.sendTone(WHISPER_HZ);
  await hearsTone(leg, WHISPER_HZ); // the monitoring has started
  await ada.send('call:transfer', { callId, agentId: bobId });
  await bob.incoming();
  (await bob.accept(callId)).sendTone(AGENT_HZ);
  await ada.waitFor(({ event }) => event === 'call:ended');
  await call.hangUp();
  await t.webhooks.waitFor(isOf(callId, 'call.ended'));
  listening.close();

  const ladder = await ladderOf(callId);
  expect(ladder.participants.map(({ kind, label }) => `${kind} ${label.toLowerCase()}`)).toEqual([
    'CARRIER 127.0.0.1',
    'SERVICE service',
    'AGENT ada',
    'AGENT bob',
    'SUPERVISOR sue',
  ]);
  const laneOf = (label: string) =>
    ladder.participants.find((one) => one.label.toLowerCase() === label)?.id ?? '';
  const lines = ladder.entries.map((entry) => `${entry.from} ${entry.to ?? '|'} ${shortOf(entry)}`);
  const [carrier, service, adas, bobs, sues] = ['127.0.0.1', 'service', 'ada', 'bob', 'sue'].map(laneOf);
  // An agent may be offered the call before the 180 is sent.
  expectInOrder(lines, [
    `${carrier} ${service} INVITE`,
    `${service} ${carrier} 180 INVITE`,
    `${service} ${carrier} 200 INVITE`,
  ]);
  expectInOrder(lines, [
    `${carrier} ${service} INVITE`,
    `${service} ${adas} Offered`,
    `${adas} ${service} SDP offer`,
    `${service} ${adas} SDP answer`,
    `${carrier} ${service} ACK`,
    new RegExp(`^${carrier} \\| (Audio connected|First audio packet received)`),
    `${sues} ${service} SDP offer`,
    new RegExp(`^${sues} \\| ICE and DTLS connected`),
    new RegExp(`^${adas} ${service} Transfer started \\(to bob`, 'i'),
    `${bobs} ${service} SDP offer`,
    new RegExp(`^${bobs} \\| ICE and DTLS connected`),
    `${carrier} ${service} BYE`,
    `${service} ${carrier} 200 BYE`,
  ]);
  const offsets = ladder.entries.map(({ offsetMs }) => offsetMs);
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
  expect(ladder.truncated).toBe(false);
  // The times of media and of the lifecycle log agree, although different processes took them.
  const offered = ladder.entries.find(({ summary }) => summary === 'Offered')?.offsetMs ?? Infinity;
  expect(offered).toBeLessThan(2_000);

  const file = (format: string) =>
    fetch(`${t.v1.baseUrl}/v1/calls/${callId}/ladder?format=${format}`, {
      headers: { authorization: `Bearer ${t.v1.apiKey}` },
    });
  expect(await (await file('text')).text()).toMatch(/\+0\.000 .*\|-+ INVITE sip:/);
  const pcap = await file('pcap');
  expect(pcap.headers.get('content-disposition')).toBe(`attachment; filename="call-${callId}.pcap"`);
  expect(new DataView(await pcap.arrayBuffer()).getUint32(0)).toBe(0xa1b2c3d4);
});

test('a call that the customer declines shows the INVITE and its refusal', async () => {
  t.carrier.behaviour = { do: 'refuse', status: 486, reason: 'Busy Here' };
  const callId = await intend(t, 'ada');
  await ada.start(callId);
  await t.webhooks.waitFor(isOf(callId, 'call.ended'));
  const { entries } = await ladderOf(callId);
  expectInOrder(entries.map(shortOf), ['INVITE', '486 INVITE', /^Call ended/]);
});

test('a refused call of an own trunk has a ladder', async () => {
  // An account and a source address of its own, so that the trunk on which the refusal is stored is certain.
  const phone = await t.phone({ address: '127.0.16.1' });
  const { v1, trunkId } = await t.createAccount('refused-ladder', phone);
  const call = await phone.call('+442079469999', t.sip);
  expect((await call.ended()).status).toBe(404);
  const stored = () => t.db.sipRefusal.findFirst({ where: { trunkId } });
  await expect
    .poll(async () => ((await stored())?.ladder ?? null) !== null, { timeout: STORED_WITHIN_MS })
    .toBe(true);
  const refusalId = Number((await stored())?.id);
  const path = `/v1/sip-trunks/${trunkId}/refusals/${refusalId}/ladder`;
  const { ladder } = await v1.ok<{ ladder: CallLadderResource }>('GET', path);
  expect(ladder.entries.map(shortOf)).toEqual(['INVITE', '404 INVITE']);
});
