/** Failures around a call, and what remains of it. */
import { describe, expect, test, type TestContext } from 'vitest';
import { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, containsTone } from './support/calls.ts';
import { eventually, FakeRealtime } from './support/fake-realtime.ts';

/** A fixture that is closed with its test. These tests mostly wait for timeouts, so some run concurrently. */
async function startFixture(
  { onTestFinished }: TestContext,
  ...options: Parameters<typeof MediaFixture.start>
): Promise<MediaFixture> {
  const fixture = await MediaFixture.start(...options);
  onTestFinished(() => fixture.close());
  return fixture;
}

describe.concurrent('while realtime is unavailable', () => {
  test('audio continues, facts are stored, and a node that connects gets the legs first and then the facts', async (context) => {
    const fixture = await startFixture(context);
    const bridged = await bridgedCall(fixture);
    const { port } = fixture.realtime;
    await fixture.realtime.stop();
    await eventually('media has noticed', () => fixture.media.realtime.connected === 0);
    bridged.agent.heard = [];
    await eventually('the tone is still there', () => containsTone(bridged.agent.heard, 'PCMA', 440));
    await bridged.call.hangUp();
    await eventually(
      'the leg has ended',
      () => fixture.media.calls.carrier(bridged.callId, bridged.carrierLegId) === undefined,
    );
    await eventually('its end is stored', () => fixture.media.realtime.unreportedFacts === 1);

    const again = await FakeRealtime.start(port);
    await again.connected();
    expect(again.legLists[0]).toEqual([
      { callId: bridged.callId, legId: bridged.agentLegId, kind: 'agent', state: 'CONNECTED' },
    ]);
    const ended = await again.fact('leg:ended', bridged.carrierLegId);
    expect(ended.end.cause).toBe('remote-bye');
    await again.command('call:release', { callId: bridged.callId });
    await again.fact('leg:ended', bridged.agentLegId);
    await again.stop();
    bridged.agent.close();
    bridged.phone.close();
  });

  test('a fact that is not acked is sent again unchanged', async (context) => {
    const fixture = await startFixture(context);
    const bridged = await bridgedCall(fixture);
    fixture.realtime.acks = false;
    await bridged.call.hangUp();
    await eventually(
      'the leg has ended',
      () => fixture.media.calls.carrier(bridged.callId, bridged.carrierLegId) === undefined,
    );
    fixture.realtime.acks = true;
    expect((await fixture.realtime.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('remote-bye');
    await bridged.close();
  });

  test('an INVITE gets 503', async (context) => {
    const fixture = await startFixture(context);
    await fixture.realtime.stop();
    await eventually('media has noticed', () => fixture.media.realtime.connected === 0);
    const phone = await SipPhone.open();
    const call = await phone.call('1', fixture.sip);
    expect(await call.ended()).toMatchObject({ status: 503 });
    phone.close();
  });
});

describe.concurrent('media ends', () => {
  test('a call that no connected realtime node has claimed', async (context) => {
    const other = await FakeRealtime.start();
    const fixture = await startFixture(context, { orphanMs: 500, watchdogIntervalMs: 100 }, [other.url]);
    await other.connected();
    other.decide = () => null;
    const bridged = await bridgedCall(fixture);
    other.acksLegs = false;
    await fixture.realtime.stop();
    expect((await other.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('local');
    expect((await bridged.call.ended()).how).toBe('bye-received');
    await eventually('nothing is left', () => fixture.media.calls.legCount === 0);
    await other.stop();
    bridged.agent.close();
    bridged.phone.close();
  }, 15_000);

  test('but not a call that another node takes over', async (context) => {
    const other = await FakeRealtime.start();
    const fixture = await startFixture(context, { orphanMs: 500, watchdogIntervalMs: 100 }, [other.url]);
    await other.connected();
    other.decide = () => null;
    const bridged = await bridgedCall(fixture);
    await fixture.realtime.stop();
    await eventually('the other node receives the legs', () => (other.legLists.at(-1)?.length ?? 0) === 2);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(fixture.media.calls.legCount).toBe(2);
    await other.command('call:release', { callId: bridged.callId });
    await other.fact('leg:ended', bridged.carrierLegId);
    await other.stop();
    bridged.agent.close();
    bridged.phone.close();
  }, 15_000);

  test.for([
    ['handed over', false],
    ['on the local endpoint', true],
  ] as const)(
    'a leg %s whose remote party stops sending',
    { timeout: 15_000 },
    async ([_how, localEndpointOnly], context) => {
      const fixture = await startFixture(context, { rtpTimeoutMs: 1_000, watchdogIntervalMs: 100 });
      const bridged = await bridgedCall(fixture, { localEndpointOnly });
      bridged.call.audio.silence();
      expect((await fixture.realtime.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('rtp-timeout');
      expect((await bridged.call.ended()).how).toBe('bye-received');
      await bridged.close();
    },
  );

  test('an agent’s leg that sends nothing although another leg hears it', async (context) => {
    const fixture = await startFixture(context, { rtpTimeoutMs: 1_000, watchdogIntervalMs: 100 });
    const bridged = await bridgedCall(fixture);
    bridged.agent.silence();
    expect((await fixture.realtime.fact('leg:ended', bridged.agentLegId)).end.cause).toBe('rtp-timeout');
    expect(fixture.media.calls.carrier(bridged.callId, bridged.carrierLegId)?.state).toBe('CONNECTED');
    await bridged.close();
  }, 15_000);

  test('but not a leg that the remote party has put on hold', async (context) => {
    const fixture = await startFixture(context, { rtpTimeoutMs: 1_000, watchdogIntervalMs: 100 });
    const bridged = await bridgedCall(fixture);
    const answer = await bridged.call.reinvite('inactive');
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('a=inactive');
    bridged.call.audio.silence();
    await eventually('the leg is on the local endpoint', () => bridged.leg.handedOverTo === null);
    const heard = bridged.call.audio.heard.length;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(bridged.leg.state).toBe('CONNECTED');
    expect(fixture.realtime.count('leg:ended', bridged.carrierLegId)).toBe(0);
    expect(bridged.call.audio.heard.length).toBe(heard);

    expect((await bridged.call.reinvite('sendrecv')).body).toContain('a=sendrecv');
    bridged.call.audio.sendTone(440);
    await eventually('the leg is handed over again', () => bridged.leg.handedOverTo !== null);
    bridged.agent.heard = [];
    await eventually('the agent hears again', () => containsTone(bridged.agent.heard, 'PCMA', 440));
    await bridged.close();
  }, 15_000);
});

describe.concurrent('a running node', () => {
  test('that loses its media worker ends its calls with media-error, and accepts new ones soon', async (context) => {
    const fixture = await startFixture(context);
    const bridged = await bridgedCall(fixture);
    process.kill(bridged.leg.media.worker.pid, 'SIGKILL');
    expect((await fixture.realtime.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('media-error');
    expect((await fixture.realtime.fact('leg:ended', bridged.agentLegId)).end.cause).toBe('media-error');
    expect((await bridged.call.ended()).how).toBe('bye-received');
    bridged.agent.close();
    bridged.phone.close();
    await eventually(
      'a new worker accepts a call',
      async () => {
        try {
          await (await bridgedCall(fixture)).close();
          return true;
        } catch {
          return false;
        }
      },
      15_000,
    );
  }, 30_000);

  test('that loses the SIP server ends its carrier legs', async (context) => {
    const fixture = await startFixture(context);
    const bridged = await bridgedCall(fixture);
    await fixture.loseGateway();
    expect((await fixture.realtime.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('media-error');
    bridged.agent.close();
    bridged.phone.close();
  });

  test('that is stopped sends BYE and reports the end of its legs', async (context) => {
    const fixture = await startFixture(context);
    const bridged = await bridgedCall(fixture);
    await fixture.media.close();
    expect((await bridged.call.ended()).how).toBe('bye-received');
    expect(fixture.realtime.count('leg:ended', bridged.carrierLegId)).toBe(1);
    expect(fixture.realtime.count('leg:ended', bridged.agentLegId)).toBe(1);
    bridged.agent.close();
    bridged.phone.close();
  });

  test('replaces an agent’s leg by a new one with only a hand-over for the carrier', async (context) => {
    const fixture = await startFixture(context);
    const bridged = await bridgedCall(fixture);
    const { callId, agentLegId, call } = bridged;
    const next = await fixture.agent(callId, 'next', { replaces: agentLegId });
    next.sendTone(1_300);
    const { end } = await fixture.realtime.fact('leg:ended', agentLegId);
    expect(end.cause).toBe('local');
    await eventually('the new leg hears', () => containsTone(next.heard, 'PCMA', 440));
    await eventually('the new leg is heard', () => containsTone(call.audio.heard, 'PCMA', 1_300));
    expect(fixture.realtime.count('leg:ended', bridged.carrierLegId)).toBe(0);
    next.close();
    await bridged.close();
  });

  test('reports when an agent’s network is lost and keeps the leg', async (context) => {
    const fixture = await startFixture(context);
    const bridged = await bridgedCall(fixture);
    bridged.agent.close();
    await fixture.realtime.fact('leg:interrupted', bridged.agentLegId, 15_000);
    expect(fixture.media.calls.leg(bridged.callId, bridged.agentLegId)?.state).toBe('DISCONNECTED');
    await bridged.close();
  }, 20_000);

  test('rejects invalid commands with error codes of the protocol', async (context) => {
    const fixture = await startFixture(context);
    const callId = fixture.callId();
    expect(
      await fixture.realtime.send('agent:connect', { callId, legId: 'x', sdpOffer: 'v=0\r\n' }),
    ).toMatchObject({
      ok: false,
      error: { code: 'bad_sdp' },
    });
    expect(await fixture.realtime.send('carrier:answer', { callId, legId: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'unknown_leg' },
    });
    expect(await fixture.realtime.send('leg:dtmf', { callId: 0, legId: 'x', digits: '1' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_command' },
    });
    expect((await fixture.realtime.send('leg:hangup', { callId, legId: 'x' })).ok).toBe(true);
    expect((await fixture.realtime.send('call:release', { callId })).ok).toBe(true);
    expect(fixture.media.calls.find(callId)).toBeUndefined();
  });

  test('connects an agent once if the command is repeated, with the same reply', async (context) => {
    const fixture = await startFixture(context);
    const callId = fixture.callId();
    const leg = new WebRtcLeg('PCMA');
    const sdpOffer = await leg.offer();
    const connect = () => fixture.realtime.command('agent:connect', { callId, legId: 'a', sdpOffer });
    const [first, second] = await Promise.all([connect(), connect()]);
    expect(second.sdpAnswer).toBe(first.sdpAnswer);
    expect(fixture.media.calls.legCount).toBe(1);
    await fixture.realtime.command('call:release', { callId });
    leg.close();
  });

  test('transcodes if the carrier does not accept the agent’s codec', async (context) => {
    const fixture = await startFixture(context);
    const callId = fixture.callId();
    const agent = await fixture.agent(callId, 'agent');
    const phone = await SipPhone.open({ laws: [agent.law === 'PCMA' ? 'PCMU' : 'PCMA'] });
    await fixture.dial(callId, 'carrier', phone.port);
    await fixture.realtime.fact('leg:connected', 'carrier');
    await fixture.route(callId, {
      carrier: [{ kind: 'leg', legId: 'agent' }],
      agent: [{ kind: 'leg', legId: 'carrier' }],
    });
    const call = phone.calls[0];
    if (!call) throw new Error('no call came');
    call.audio.sendTone(600);
    agent.sendTone(1_000);
    await eventually('the carrier hears the agent', () =>
      containsTone(call.audio.heard, call.audio.law, 1_000),
    );
    await eventually('the agent hears the carrier', () => containsTone(agent.heard, agent.law, 600));
    expect(fixture.media.calls.carrier(callId, 'carrier')?.handedOverTo).toBeNull();
    await fixture.realtime.command('call:release', { callId });
    agent.close();
    phone.close();
  });
});
