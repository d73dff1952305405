/** The operator's rules for tech prefixes in real calls: forwarding rules with audio between two carriers, and call filters. */
import { header } from '@clarion/test-phone/sip/message';
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { keysHeard, pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { TestStack } from '@clarion/testkit/stack/stack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RefusalScene } from './failures/refusals.ts';

const [CALLER_HZ, CALLED_HZ] = [440, 1_000];
let t: TestStack;

beforeAll(async () => {
  t = await TestStack.share();
});
afterAll(async () => {
  await t?.stop();
});

interface ForwardedCall {
  id: number;
  state: string;
  caller: string | null;
  called: string;
  endedBy: string | null;
  sipStatus: number | null;
}

/** Two carriers. Calls of the first with the tech prefix 88# are forwarded to the second, with 99# in front of the number. */
async function twoCarriers() {
  const [from, to] = [await RefusalScene.open(t), await RefusalScene.open(t)];
  await to.changeTrunk({ techPrefixes: { outbound: '99#' } });
  await from.forwardTo(to.account.trunkId);
  return { from, to };
}

/** The latest forwarded call of a trunk, once all have ended. */
async function ended(trunkId: number): Promise<ForwardedCall | undefined> {
  const live = { trunkId, state: { not: 'ENDED' } } as const;
  await expect.poll(() => t.db.forwardedCall.count({ where: live })).toBe(0);
  const calls = await t.clarion<ForwardedCall[]>(['forward', 'calls', '--trunk-id', String(trunkId)]);
  return calls[0];
}

async function talk(caller: SipCall, called: SipCall): Promise<void> {
  await Promise.all([caller.answered(), called.answered()]);
  caller.audio.sendTone(CALLER_HZ);
  called.audio.sendTone(CALLED_HZ);
  await Promise.all([hearsTone(caller.audio, CALLED_HZ), hearsTone(called.audio, CALLER_HZ)]);
}

describe('a forwarding rule', () => {
  test('sends a call to another carrier: both hear each other until the caller hangs up', async () => {
    const { from, to } = await twoCarriers();
    const arriving = to.phone.nextCall();
    const caller = await from.call('88%234930123456', { from: '447700900123' });
    const called = await arriving;
    expect(called.called).toBe('99%234930123456');
    expect(header(called.invite, 'from')).toContain('sip:447700900123@');
    expect(header(called.invite, 'max-forwards')).toBe('69');
    await talk(caller, called);
    await caller.hangUp();
    expect(await called.ended()).toMatchObject({ how: 'bye-received' });
    expect(await ended(from.account.trunkId)).toMatchObject({
      caller: '+447700900123',
      called: '4930123456',
      endedBy: 'CALLER',
      sipStatus: null,
    });
    // Nobody's call: no event, and nothing for an agent.
    expect(await t.db.call.count({ where: { sipTrunkId: from.account.trunkId } })).toBe(0);
  });

  test('passes on that the called person hangs up, is busy, or is not reached before the caller gives up', async () => {
    const { from, to } = await twoCarriers();
    const answered = to.phone.nextCall();
    const first = await from.call('88%234930123456');
    const called = await answered;
    await talk(first, called);
    await called.hangUp();
    expect(await first.ended()).toMatchObject({ how: 'bye-received' });

    to.phone.behaviour = { do: 'refuse', status: 486, reason: 'Busy Here' };
    const busy = await from.call('88%234930123456');
    expect(await busy.ended()).toMatchObject({ how: 'refused', status: 486 });
    expect(await ended(from.account.trunkId)).toMatchObject({ endedBy: 'CALLED', sipStatus: 486 });

    to.phone.behaviour = { do: 'ring' };
    const ringing = to.phone.nextCall();
    const cancelled = await from.call('88%234930123456');
    const rung = await ringing;
    await cancelled.rings();
    await cancelled.hangUp();
    expect(await rung.ended()).toMatchObject({ how: 'cancel-received' });
  });

  test('hides a withheld number from the other carrier', async () => {
    const { from, to } = await twoCarriers();
    const arriving = to.phone.nextCall();
    const caller = await from.call('88%2312', { from: 'anonymous', headers: [['Privacy', 'id']] });
    const called = await arriving;
    expect(called.called).toBe('99%2312');
    expect(header(called.invite, 'from')).toContain('anonymous@anonymous.invalid');
    expect(header(called.invite, 'p-asserted-identity')).toBe('');
    await caller.hangUp();
    await called.ended();
  });

  test('carries the digits of the caller to the called person', async () => {
    const { from, to } = await twoCarriers();
    const arriving = to.phone.nextCall();
    const caller = await from.call('88%234930123456');
    const called = await arriving;
    await talk(caller, called);
    await pressKeys(caller.audio, '42#');
    await expect.poll(() => keysHeard(called.audio)).toBe('42#');
    await caller.hangUp();
    await called.ended();
  });

  test('to a carrier that sends the calls back ends in 483', async () => {
    const { from, to } = await twoCarriers();
    await to.forwardTo(to.account.trunkId);
    const number = '88%234930123456';
    const sendBack = async (call: SipCall) => {
      const hops = header(call.invite, 'max-forwards');
      const { status } = await (await to.call(number, { headers: [['Max-Forwards', hops]] })).ended();
      call.refuse(status ?? 500, 'Sent back');
    };
    to.phone.behaviour = { do: 'script', play: (call) => void sendBack(call) };
    const call = await from.call(number, { headers: [['Max-Forwards', '3']] });
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 483 });
    expect(await t.db.forwardedCall.count({ where: { toTrunkId: to.account.trunkId } })).toBe(3);
  });
});

test('a call filter sends the call back to the carrier, with the redirect prefix in place of its own', async () => {
  const scene = await RefusalScene.open(t);
  await scene.changeTrunk({
    techPrefixes: { inbound: [{ prefix: '88#', purpose: 'FILTER' }], redirect: '99#' },
  });
  const trunk = String(scene.account.trunkId);
  await t.clarion(['filter', 'create', '--trunk-id', trunk, '--called', '4930', '--action', 'redirect']);
  const call = await scene.call('88%234930123456');
  expect(await call.ended()).toMatchObject({ how: 'refused', status: 302, reason: 'Moved Temporarily' });
  const response = call.received.at(-1);
  const host = `${scene.source}:${scene.phone.port}`;
  expect(response && header(response, 'contact')).toBe(`<sip:99%234930123456@${host}>`);
  expect(await (await scene.call('88%23123')).ended()).toMatchObject({ how: 'refused', status: 404 });
});
