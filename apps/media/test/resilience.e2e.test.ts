/** What goes wrong around a call, and what is left of it. */
import { describe, expect, test, type TestContext } from 'vitest';
import { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { Bench } from './bench.ts';
import { bridgedCall, hears } from './calls.ts';
import { eventually, FakeRealtime } from './fake-realtime.ts';

/** One that ends with the test. Most of a test's time is waiting for it to miss something: some run side by side. */
async function startBench(
  { onTestFinished }: TestContext,
  ...options: Parameters<typeof Bench.start>
): Promise<Bench> {
  const bench = await Bench.start(...options);
  onTestFinished(() => bench.close());
  return bench;
}

describe.concurrent('with realtime gone', () => {
  test('audio goes on, facts are kept, and whoever comes back gets the legs first and then the facts', async (context) => {
    const bench = await startBench(context);
    const bridged = await bridgedCall(bench);
    const { port } = bench.realtime;
    await bench.realtime.stop();
    await eventually('media has noticed', () => bench.media.realtime.connected === 0);
    bridged.agent.heard = [];
    await eventually('the tone is still there', () => hears(bridged.agent.heard, 'PCMA', 440));
    await bridged.call.hangUp();
    await eventually(
      'the leg is over',
      () => bench.media.calls.carrier(bridged.callId, bridged.carrierLegId) === undefined,
    );
    await eventually('its end is kept', () => bench.media.realtime.unreportedFacts === 1);

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

  test('a fact that is not acked is told again, unchanged', async (context) => {
    const bench = await startBench(context);
    const bridged = await bridgedCall(bench);
    bench.realtime.acks = false;
    await bridged.call.hangUp();
    await eventually(
      'the leg is over',
      () => bench.media.calls.carrier(bridged.callId, bridged.carrierLegId) === undefined,
    );
    bench.realtime.acks = true;
    expect((await bench.realtime.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('remote-bye');
    await bridged.close();
  });

  test('an INVITE is answered 503', async (context) => {
    const bench = await startBench(context);
    await bench.realtime.stop();
    await eventually('media has noticed', () => bench.media.realtime.connected === 0);
    const phone = await SipPhone.open();
    const call = await phone.call('1', bench.sip);
    expect(await call.ended()).toMatchObject({ status: 503 });
    phone.close();
  });
});

describe.concurrent('what must end by itself', () => {
  test('a call that no connected realtime node has claimed', async (context) => {
    const other = await FakeRealtime.start();
    const bench = await startBench(context, { orphanMs: 500, watchIntervalMs: 100 }, [other.url]);
    await other.connected();
    other.answer = () => null;
    const bridged = await bridgedCall(bench);
    other.takesLegs = false;
    await bench.realtime.stop();
    expect((await other.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('local');
    expect((await bridged.call.ended()).how).toBe('bye-received');
    await eventually('nothing is left', () => bench.media.calls.legCount === 0);
    await other.stop();
    bridged.agent.close();
    bridged.phone.close();
  }, 15_000);

  test('but not one that another node takes over', async (context) => {
    const other = await FakeRealtime.start();
    const bench = await startBench(context, { orphanMs: 500, watchIntervalMs: 100 }, [other.url]);
    await other.connected();
    other.answer = () => null;
    const bridged = await bridgedCall(bench);
    await bench.realtime.stop();
    await eventually('the other node is shown the legs', () => (other.legLists.at(-1)?.length ?? 0) === 2);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(bench.media.calls.legCount).toBe(2);
    await other.command('call:release', { callId: bridged.callId });
    await other.fact('leg:ended', bridged.carrierLegId);
    await other.stop();
    bridged.agent.close();
    bridged.phone.close();
  }, 15_000);

  test.for([
    ['handed over', false],
    ['held', true],
  ] as const)(
    'a %s leg whose far end sends nothing any more',
    { timeout: 15_000 },
    async ([_how, ownEndpoint], context) => {
      const bench = await startBench(context, { rtpTimeoutMs: 1_000, watchIntervalMs: 100 });
      const bridged = await bridgedCall(bench, { ownEndpoint });
      bridged.call.audio.silence();
      expect((await bench.realtime.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('rtp-timeout');
      expect((await bridged.call.ended()).how).toBe('bye-received');
      await bridged.close();
    },
  );

  test('an agent’s leg from which nothing comes though somebody is to hear it', async (context) => {
    const bench = await startBench(context, { rtpTimeoutMs: 1_000, watchIntervalMs: 100 });
    const bridged = await bridgedCall(bench);
    bridged.agent.silence();
    expect((await bench.realtime.fact('leg:ended', bridged.agentLegId)).end.cause).toBe('rtp-timeout');
    expect(bench.media.calls.carrier(bridged.callId, bridged.carrierLegId)?.state).toBe('CONNECTED');
    await bridged.close();
  }, 15_000);

  test('but not a leg that its far end has put on hold', async (context) => {
    const bench = await startBench(context, { rtpTimeoutMs: 1_000, watchIntervalMs: 100 });
    const bridged = await bridgedCall(bench);
    const answer = await bridged.call.reinvite('inactive');
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('a=inactive');
    bridged.call.audio.silence();
    await eventually('the leg is held', () => bridged.leg.handedTo === null);
    const heard = bridged.call.audio.heard.length;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(bridged.leg.state).toBe('CONNECTED');
    expect(bench.realtime.count('leg:ended', bridged.carrierLegId)).toBe(0);
    expect(bridged.call.audio.heard.length).toBe(heard);

    expect((await bridged.call.reinvite('sendrecv')).body).toContain('a=sendrecv');
    bridged.call.audio.sendTone(440);
    await eventually('the leg is handed over again', () => bridged.leg.handedTo !== null);
    bridged.agent.heard = [];
    await eventually('the agent hears again', () => hears(bridged.agent.heard, 'PCMA', 440));
    await bridged.close();
  }, 15_000);
});

describe.concurrent('a running node', () => {
  test('that loses its media worker ends its calls with media-error, and takes new ones soon', async (context) => {
    const bench = await startBench(context);
    const bridged = await bridgedCall(bench);
    process.kill(bridged.leg.media.worker.pid, 'SIGKILL');
    expect((await bench.realtime.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('media-error');
    expect((await bench.realtime.fact('leg:ended', bridged.agentLegId)).end.cause).toBe('media-error');
    expect((await bridged.call.ended()).how).toBe('bye-received');
    bridged.agent.close();
    bridged.phone.close();
    await eventually(
      'a new worker takes a call',
      async () => {
        try {
          await (await bridgedCall(bench)).close();
          return true;
        } catch {
          return false;
        }
      },
      15_000,
    );
  }, 30_000);

  test('that loses the SIP server ends its carrier legs', async (context) => {
    const bench = await startBench(context);
    const bridged = await bridgedCall(bench);
    await bench.loseGateway();
    expect((await bench.realtime.fact('leg:ended', bridged.carrierLegId)).end.cause).toBe('media-error');
    await bridged.close();
  });

  test('that is stopped says BYE and tells realtime', async (context) => {
    const bench = await startBench(context);
    const bridged = await bridgedCall(bench);
    await bench.media.close();
    expect((await bridged.call.ended()).how).toBe('bye-received');
    expect(bench.realtime.count('leg:ended', bridged.carrierLegId)).toBe(1);
    expect(bench.realtime.count('leg:ended', bridged.agentLegId)).toBe(1);
    bridged.agent.close();
    bridged.phone.close();
  });

  test('lets an agent’s new leg take over from the old one without the carrier noticing more than a move', async (context) => {
    const bench = await startBench(context);
    const bridged = await bridgedCall(bench);
    const { callId, agentLegId, call } = bridged;
    const next = await bench.agent(callId, 'next', { replaces: agentLegId });
    next.sendTone(1_300);
    const { end } = await bench.realtime.fact('leg:ended', agentLegId);
    expect(end.cause).toBe('local');
    await eventually('the new leg hears', () => hears(next.heard, 'PCMA', 440));
    await eventually('the new leg is heard', () => hears(call.audio.heard, 'PCMA', 1_300));
    expect(bench.realtime.count('leg:ended', bridged.carrierLegId)).toBe(0);
    next.close();
    await bridged.close();
  });

  test('tells when an agent’s network is lost and keeps the leg', async (context) => {
    const bench = await startBench(context);
    const bridged = await bridgedCall(bench);
    bridged.agent.close();
    await bench.realtime.fact('leg:interrupted', bridged.agentLegId, 15_000);
    expect(bench.media.calls.leg(bridged.callId, bridged.agentLegId)?.state).toBe('DISCONNECTED');
    await bridged.close();
  }, 20_000);

  test('refuses commands that make no sense, in the words of the protocol', async (context) => {
    const bench = await startBench(context);
    const callId = bench.callId();
    expect(
      await bench.realtime.send('agent:connect', { callId, legId: 'x', sdpOffer: 'v=0\r\n' }),
    ).toMatchObject({
      ok: false,
      error: { code: 'bad_sdp' },
    });
    expect(await bench.realtime.send('carrier:answer', { callId, legId: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'unknown_leg' },
    });
    expect(await bench.realtime.send('leg:dtmf', { callId: -1, legId: 'x', digits: '1' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_command' },
    });
    expect((await bench.realtime.send('leg:hangup', { callId, legId: 'x' })).ok).toBe(true);
    expect((await bench.realtime.send('call:release', { callId })).ok).toBe(true);
    expect(bench.media.calls.find(callId)).toBeUndefined();
  });

  test('connects an agent once when the command is repeated, and answers the same', async (context) => {
    const bench = await startBench(context);
    const callId = bench.callId();
    const leg = new WebRtcLeg('PCMA');
    const sdpOffer = await leg.offer();
    const connect = () => bench.realtime.command('agent:connect', { callId, legId: 'a', sdpOffer });
    const [first, second] = await Promise.all([connect(), connect()]);
    expect(second.sdpAnswer).toBe(first.sdpAnswer);
    expect(bench.media.calls.legCount).toBe(1);
    await bench.realtime.command('call:release', { callId });
    leg.close();
  });

  test('transcodes where the carrier takes only the law the agent does not speak', async (context) => {
    const bench = await startBench(context);
    const callId = bench.callId();
    const agent = await bench.agent(callId, 'agent');
    const phone = await SipPhone.open({ laws: [agent.law === 'PCMA' ? 'PCMU' : 'PCMA'] });
    await bench.dial(callId, 'carrier', phone.port);
    await bench.realtime.fact('leg:connected', 'carrier');
    await bench.route(callId, {
      carrier: [{ kind: 'leg', legId: 'agent' }],
      agent: [{ kind: 'leg', legId: 'carrier' }],
    });
    const call = phone.calls[0];
    if (!call) throw new Error('no call came');
    call.audio.sendTone(600);
    agent.sendTone(1_000);
    await eventually('the carrier hears the agent', () => hears(call.audio.heard, call.audio.law, 1_000));
    await eventually('the agent hears the carrier', () => hears(agent.heard, agent.law, 600));
    expect(bench.media.calls.carrier(callId, 'carrier')?.handedTo).toBeNull();
    await bench.realtime.command('call:release', { callId });
    agent.close();
    phone.close();
  });
});
