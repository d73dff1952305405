import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone, type PhoneOptions } from '@clarion/test-phone/sip/phone';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { MediaFixture } from './support/media-fixture.ts';
import { containsTone } from './support/calls.ts';
import { eventually } from './support/fake-realtime.ts';

let fixture: MediaFixture;
let phone: SipPhone | null = null;
const agents: WebRtcLeg[] = [];

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  for (const call of fixture.media.calls.all)
    await fixture.realtime.command('call:release', { callId: call.callId });
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
  for (const agent of agents.splice(0)) agent.close();
  phone?.close();
  phone = null;
});
afterAll(() => fixture.close());

interface Dialled {
  callId: number;
  legId: string;
  agentLegId: string;
  agent: WebRtcLeg;
}

async function dial(
  options: PhoneOptions,
  more: { ringTimeoutMs?: number; password?: string; noEarlyMedia?: boolean } = {},
): Promise<Dialled> {
  const opened = await SipPhone.open(options);
  phone = opened;
  const callId = fixture.callId();
  const [legId, agentLegId] = [`carrier-${callId}`, `agent-${callId}`];
  const agent = await fixture.agent(callId, agentLegId);
  agents.push(agent);
  await fixture.route(callId, { [agentLegId]: [{ kind: 'tone', tone: 'ringback' }] });
  await fixture.dial(callId, legId, opened.port, {
    trunk: {
      transport: options.transport === 'tcp' ? 'TCP' : 'UDP',
      username: more.password === undefined ? null : 'acme',
      password: more.password ?? null,
      noEarlyMedia: more.noEarlyMedia ?? false,
    },
    callerName: 'Acme "Ltd"',
    ringTimeoutMs: more.ringTimeoutMs ?? 20_000,
  });
  return { callId, legId, agentLegId, agent };
}

const bridge = ({ callId, legId, agentLegId }: Dialled) =>
  fixture.route(callId, {
    [legId]: [{ kind: 'leg', legId: agentLegId }],
    [agentLegId]: [{ kind: 'leg', legId }],
  });

const lastCall = (): SipCall => phone?.calls.at(-1) as SipCall;

describe('an outbound call', () => {
  test('plays ringback to the agent until the remote party answers, is bridged, and ends when the remote party hangs up', async () => {
    const dialled = await dial({ behaviour: { do: 'answer', afterMs: 900 }, laws: ['PCMA', 'PCMU'] });
    await fixture.realtime.fact('leg:ringing', dialled.legId);
    await eventually('ringback is heard', () => containsTone(dialled.agent.heard, 'PCMA', 425));
    await fixture.realtime.fact('leg:connected', dialled.legId);
    expect(lastCall().called).toBe('4930555');
    expect(lastCall().caller).toBe('4917111');
    await bridge(dialled);
    lastCall().audio.sendTone(600);
    dialled.agent.sendTone(1_200);
    await eventually(
      'both hear each other',
      () =>
        containsTone(dialled.agent.heard, 'PCMA', 600) && containsTone(lastCall().audio.heard, 'PCMA', 1_200),
    );
    const leg = fixture.media.calls.carrier(dialled.callId, dialled.legId);
    await eventually('it is handed over', () => leg?.handedOverTo !== null);
    await lastCall().hangUp();
    expect(await fixture.realtime.fact('leg:ended', dialled.legId)).toMatchObject({
      kind: 'carrier-out',
      end: { cause: 'remote-bye' },
    });
  });

  test.each([
    [486, 17],
    [404, 1],
    [503, null],
  ])('that is rejected with %i is reported with the SIP status and cause', async (status, q850) => {
    const dialled = await dial({ behaviour: { do: 'refuse', status, ...(q850 === null ? {} : { q850 }) } });
    const { end } = await fixture.realtime.fact('leg:ended', dialled.legId);
    expect(end).toMatchObject({ cause: 'rejected', sipStatus: status, q850 });
  });

  test('that is not answered in time is cancelled by our ring timer', async () => {
    const dialled = await dial({ behaviour: { do: 'ring' } }, { ringTimeoutMs: 400 });
    const { end } = await fixture.realtime.fact('leg:ended', dialled.legId);
    expect(end).toMatchObject({ cause: 'no-answer-local', provisional: true });
    expect((await lastCall().ended()).how).toBe('cancel-received');
  });

  test('that we hang up while it rings is cancelled', async () => {
    const dialled = await dial({ behaviour: { do: 'ring' } });
    await fixture.realtime.fact('leg:ringing', dialled.legId);
    await fixture.realtime.command('leg:hangup', { callId: dialled.callId, legId: dialled.legId });
    expect((await fixture.realtime.fact('leg:ended', dialled.legId)).end.cause).toBe('local');
    expect((await lastCall().ended()).how).toBe('cancel-received');
  });

  test('with early media plays that to the agent instead of ringback', async () => {
    const opened = dial({ behaviour: { do: 'answer', afterMs: 1_500, earlyMedia: true }, laws: ['PCMA'] });
    const dialled = await opened;
    await fixture.realtime.fact('leg:ringing', dialled.legId);
    lastCall().audio.sendTone(700);
    await eventually('early media is heard', () => containsTone(dialled.agent.heard, 'PCMA', 700));
    expect(lastCall().state).not.toBe('answered');
  });

  test('with early media of a trunk whose early media is ignored plays ringback until the answer', async () => {
    const behaviour = { do: 'answer', afterMs: 1_500, earlyMedia: true } as const;
    const dialled = await dial({ behaviour, laws: ['PCMA'] }, { noEarlyMedia: true });
    await fixture.realtime.fact('leg:ringing', dialled.legId);
    await eventually('the phone is called', () => phone?.calls.length === 1);
    lastCall().audio.sendTone(700);
    await eventually('ringback is heard', () => containsTone(dialled.agent.heard, 'PCMA', 425));
    await fixture.realtime.fact('leg:connected', dialled.legId);
    expect(containsTone(dialled.agent.heard, 'PCMA', 700)).toBe(false);
    await bridge(dialled);
    await eventually('the phone is heard', () => containsTone(dialled.agent.heard, 'PCMA', 700));
  });

  test('over TCP with a digest challenge is authenticated', async () => {
    const account = { username: 'acme', password: 'right', realm: 'carrier' };
    const dialled = await dial(
      { transport: 'tcp', account, behaviour: { do: 'answer' } },
      { password: 'right' },
    );
    await fixture.realtime.fact('leg:connected', dialled.legId);
  });

  test('to a closed port is reported as unreachable', async () => {
    const opened = await SipPhone.open();
    const { port } = opened;
    opened.close();
    const callId = fixture.callId();
    await fixture.dial(callId, 'nowhere', port, { trunk: { transport: 'TCP' } });
    expect((await fixture.realtime.fact('leg:ended', 'nowhere')).end.cause).toBe('unreachable');
  });
});
