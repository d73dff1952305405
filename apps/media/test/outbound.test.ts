import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone, type PhoneOptions } from '@clarion/test-phone/sip/phone';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { Bench } from './bench.ts';
import { hears } from './calls.ts';
import { eventually } from './fake-realtime.ts';

let bench: Bench;
let phone: SipPhone | null = null;
const agents: WebRtcLeg[] = [];

beforeAll(async () => {
  bench = await Bench.start();
});
afterEach(async () => {
  for (const call of bench.media.calls.all)
    await bench.realtime.command('call:release', { callId: call.callId });
  await eventually('no leg is left', () => bench.media.calls.legCount === 0);
  for (const agent of agents.splice(0)) agent.close();
  phone?.close();
  phone = null;
});
afterAll(() => bench.close());

interface Dialled {
  callId: number;
  legId: string;
  agentLegId: string;
  agent: WebRtcLeg;
}

async function dial(
  options: PhoneOptions,
  more: { ringTimeoutMs?: number; password?: string } = {},
): Promise<Dialled> {
  const opened = await SipPhone.open(options);
  phone = opened;
  const callId = bench.callId();
  const [legId, agentLegId] = [`carrier-${callId}`, `agent-${callId}`];
  const agent = await bench.agent(callId, agentLegId);
  agents.push(agent);
  await bench.route(callId, { [agentLegId]: [{ kind: 'tone', tone: 'ringback' }] });
  await bench.dial(callId, legId, opened.port, {
    trunk: {
      transport: options.transport === 'tcp' ? 'TCP' : 'UDP',
      username: more.password === undefined ? null : 'acme',
      password: more.password ?? null,
    },
    callerName: 'Acme "Ltd"',
    ringTimeoutMs: more.ringTimeoutMs ?? 20_000,
  });
  return { callId, legId, agentLegId, agent };
}

const bridge = ({ callId, legId, agentLegId }: Dialled) =>
  bench.route(callId, {
    [legId]: [{ kind: 'leg', legId: agentLegId }],
    [agentLegId]: [{ kind: 'leg', legId }],
  });

const lastCall = (): SipCall => phone?.calls.at(-1) as SipCall;

describe('an outbound call', () => {
  test('plays ringback to the agent until the far end answers, then bridges, and ends with the far end', async () => {
    const dialled = await dial({ behaviour: { do: 'answer', afterMs: 900 }, laws: ['PCMA', 'PCMU'] });
    await bench.realtime.fact('leg:ringing', dialled.legId);
    await eventually('ringback is heard', () => hears(dialled.agent.heard, 'PCMA', 425));
    await bench.realtime.fact('leg:connected', dialled.legId);
    expect(lastCall().called).toBe('4930555');
    expect(lastCall().caller).toBe('4917111');
    await bridge(dialled);
    lastCall().audio.sendTone(600);
    dialled.agent.sendTone(1_200);
    await eventually(
      'both hear each other',
      () => hears(dialled.agent.heard, 'PCMA', 600) && hears(lastCall().audio.heard, 'PCMA', 1_200),
    );
    const leg = bench.media.calls.carrier(dialled.callId, dialled.legId);
    await eventually('it is handed over', () => leg?.handedTo !== null);
    await lastCall().hangUp();
    expect(await bench.realtime.fact('leg:ended', dialled.legId)).toMatchObject({
      kind: 'carrier-out',
      end: { cause: 'remote-bye' },
    });
  });

  test.each([
    [486, 17],
    [404, 1],
    [503, null],
  ])('that is refused with %i is told with the raw facts', async (status, q850) => {
    const dialled = await dial({ behaviour: { do: 'refuse', status, ...(q850 === null ? {} : { q850 }) } });
    const { end } = await bench.realtime.fact('leg:ended', dialled.legId);
    expect(end).toMatchObject({ cause: 'rejected', sipStatus: status, q850 });
  });

  test('that nobody answers in time is cancelled by our own ring timer', async () => {
    const dialled = await dial({ behaviour: { do: 'ring' } }, { ringTimeoutMs: 400 });
    const { end } = await bench.realtime.fact('leg:ended', dialled.legId);
    expect(end).toMatchObject({ cause: 'no-answer-local', provisional: true });
    expect((await lastCall().ended()).how).toBe('cancel-received');
  });

  test('that we give up while it rings is cancelled', async () => {
    const dialled = await dial({ behaviour: { do: 'ring' } });
    await bench.realtime.fact('leg:ringing', dialled.legId);
    await bench.realtime.command('leg:hangup', { callId: dialled.callId, legId: dialled.legId });
    expect((await bench.realtime.fact('leg:ended', dialled.legId)).end.cause).toBe('local');
    expect((await lastCall().ended()).how).toBe('cancel-received');
  });

  test('with early media plays that to the agent instead of ringback', async () => {
    const opened = dial({ behaviour: { do: 'answer', afterMs: 1_500, earlyMedia: true }, laws: ['PCMA'] });
    const dialled = await opened;
    await bench.realtime.fact('leg:ringing', dialled.legId);
    lastCall().audio.sendTone(700);
    await eventually('early media is heard', () => hears(dialled.agent.heard, 'PCMA', 700));
    expect(lastCall().state).not.toBe('answered');
  });

  test('over TCP with a digest challenge is authenticated', async () => {
    const account = { username: 'acme', password: 'right', realm: 'carrier' };
    const dialled = await dial(
      { transport: 'tcp', account, behaviour: { do: 'answer' } },
      { password: 'right' },
    );
    await bench.realtime.fact('leg:connected', dialled.legId);
  });

  test('to a trunk that is not there is unreachable', async () => {
    const opened = await SipPhone.open();
    const { port } = opened;
    opened.close();
    const callId = bench.callId();
    await bench.dial(callId, 'nowhere', port, { trunk: { transport: 'TCP' } });
    expect((await bench.realtime.fact('leg:ended', 'nowhere')).end.cause).toBe('unreachable');
  });
});
