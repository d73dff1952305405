import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSocket } from 'node:dgram';
import { INVITE_DECISION_TIMEOUT_MS, type Route } from '@clarion/protocol/media';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { header } from '@clarion/test-phone/sip/message';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { LegClosed, WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { MediaFixture } from './support/media-fixture.ts';
import { containsTone } from './support/calls.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';

let fixture: MediaFixture;
let phone: SipPhone;
const agents: WebRtcLeg[] = [];

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.close();
  phone.close();
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
});
afterAll(() => fixture.close());

describe.each(['PCMA', 'PCMU'] as const)('an inbound call from a carrier with %s', (law) => {
  test('rings until it is answered, is heard both ways without JavaScript, and ends when the agent hangs up', async () => {
    const callId = fixture.callId();
    fixture.realtime.decide = () => acceptance(callId);
    phone = await SipPhone.open({ laws: [law] });
    const call = await phone.call('4930123', fixture.sip, { from: '+4917', fromName: 'Ada' });
    await call.rings();
    const invite = fixture.realtime.invites.at(-1);
    expect(invite).toMatchObject({ requestUser: '4930123', fromUser: '+4917', fromName: 'Ada' });
    const carrier = invite?.legId ?? '';

    const agent = await fixture.agent(callId, `agent-${law}`);
    agents.push(agent);
    expect(agent.law).toBe(law);
    await fixture.route(callId, {
      [carrier]: [{ kind: 'leg', legId: `agent-${law}` }],
      [`agent-${law}`]: [{ kind: 'leg', legId: carrier }],
    });
    await fixture.realtime.command('carrier:answer', { callId, legId: carrier });
    await call.answered();
    expect(await fixture.realtime.fact('leg:connected', carrier)).toMatchObject({ codec: law });

    call.audio.sendTone(440);
    agent.sendTone(1_000);
    await eventually('the agent hears the carrier', () => containsTone(agent.heard, law, 440));
    await eventually('the carrier hears the agent', () => containsTone(call.audio.heard, law, 1_000));
    const leg = fixture.media.calls.carrier(callId, carrier);
    await eventually('the leg is handed over', () => leg?.handedOverTo !== null);
    const before = Number((await leg?.stats())?.heldPackets);
    agent.heard = [];
    await eventually('half a second is heard', () => agent.heard.length > 25);
    expect(Number((await leg?.stats())?.heldPackets)).toBe(before);
    expect(containsTone(agent.heard, law, 440)).toBe(true);

    await fixture.realtime.command('leg:hangup', { callId, legId: carrier });
    expect((await call.ended()).how).toBe('bye-received');
    const ended = await fixture.realtime.fact('leg:ended', carrier);
    expect(ended).toMatchObject({ kind: 'carrier-in', end: { cause: 'local' } });
    expect(Number(ended.stats?.receivedPackets)).toBeGreaterThan(25);
    await fixture.realtime.command('call:release', { callId });
    expect(await fixture.realtime.fact('leg:ended', `agent-${law}`)).toMatchObject({
      kind: 'agent',
      end: { cause: 'local' },
    });
    expect(fixture.realtime.count('leg:ended', carrier)).toBe(1);
  });
});

describe('an agent who answers by connecting', () => {
  async function ringing() {
    const callId = fixture.callId();
    fixture.realtime.decide = () => acceptance(callId);
    phone = await SipPhone.open();
    const call = await phone.call('4930123', fixture.sip);
    await call.rings();
    const carrier = fixture.realtime.invites.at(-1)?.legId ?? '';
    const agentLeg = `agent-${callId}`;
    const route: Route = {
      [carrier]: [{ kind: 'leg', legId: agentLeg }],
      [agentLeg]: [{ kind: 'leg', legId: carrier }],
    };
    return { callId, call, carrier, agentLeg, answers: { legId: carrier, revision: 1, route } };
  }

  /** An agent has accepted, whose browser does not connect yet. */
  async function accepted({ callId, agentLeg, answers }: Awaited<ReturnType<typeof ringing>>) {
    const leg = new WebRtcLeg('PCMA');
    agents.push(leg);
    const sdpOffer = await leg.offer();
    const command = { callId, legId: agentLeg, sdpOffer, answers };
    return { leg, ...(await fixture.realtime.command('agent:connect', command)) };
  }

  test('the caller is answered without a command, the two hear each other, and one fact reports both', async () => {
    const { callId, call, carrier, agentLeg, answers } = await ringing();
    const agent = await fixture.agent(callId, agentLeg, { answers });
    agents.push(agent);
    await call.answered();
    expect(await fixture.realtime.fact('leg:connected', carrier)).toMatchObject({
      callId,
      codec: 'PCMA',
      agent: { legId: agentLeg, codec: 'PCMA' },
    });
    expect(fixture.realtime.count('leg:connected', agentLeg)).toBe(0);
    call.audio.sendTone(440);
    agent.sendTone(1_000);
    await eventually('the agent hears the caller', () => containsTone(agent.heard, 'PCMA', 440));
    await eventually('the caller hears the agent', () => containsTone(call.audio.heard, 'PCMA', 1_000));
    await fixture.realtime.command('carrier:answer', { callId, legId: carrier });
    await fixture.realtime.command('call:release', { callId });
    expect((await call.ended()).how).toBe('bye-received');
    expect((await fixture.realtime.fact('leg:ended', agentLeg)).end.cause).toBe('local');
  });

  test('whose leg is ended before, answers nobody', async () => {
    const rung = await ringing();
    const { callId, call, agentLeg } = rung;
    const { leg, sdpAnswer } = await accepted(rung);
    await fixture.realtime.command('leg:hangup', { callId, legId: agentLeg });
    await fixture.realtime.fact('leg:ended', agentLeg);
    const connects = leg.accept(sdpAnswer);
    leg.close();
    await expect(connects).rejects.toThrow(LegClosed);
    expect(fixture.realtime.count('leg:connected', agentLeg)).toBe(0);
    await fixture.realtime.command('call:release', { callId, status: 480 });
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 480 });
  });

  test('whose browser connects while their leg is being closed, answers nobody', async () => {
    const rung = await ringing();
    const { callId, call, carrier, agentLeg } = rung;
    const { leg, sdpAnswer } = await accepted(rung);
    const closing = fixture.media.calls.leg(callId, agentLeg);
    if (closing?.side !== 'agent') throw new Error('there is no agent leg');
    const { promise: workerReplies, resolve: reply } = Promise.withResolvers<void>();
    const stats = closing.stats.bind(closing);
    closing.stats = () => workerReplies.then(stats);
    await fixture.realtime.command('leg:hangup', { callId, legId: agentLeg });
    await leg.accept(sdpAnswer);
    await eventually('the browser is connected', () => closing.state === 'CONNECTED');
    reply();
    await fixture.realtime.fact('leg:ended', agentLeg);
    for (const legId of [agentLeg, carrier]) expect(fixture.realtime.count('leg:connected', legId)).toBe(0);
    await fixture.realtime.command('call:release', { callId, status: 480 });
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 480 });
  });

  test('after the caller has hung up is reported alone', async () => {
    const rung = await ringing();
    const { callId, call, carrier, agentLeg } = rung;
    await call.hangUp();
    await fixture.realtime.fact('leg:ended', carrier);
    const { leg, sdpAnswer } = await accepted(rung);
    await leg.accept(sdpAnswer);
    expect(await fixture.realtime.fact('leg:connected', agentLeg)).not.toHaveProperty('answered');
    await fixture.realtime.command('call:release', { callId });
  });
});

describe('an inbound call', () => {
  test('that the caller cancels ends with remote-cancel', async () => {
    const callId = fixture.callId();
    fixture.realtime.decide = () => acceptance(callId);
    phone = await SipPhone.open();
    const call = await phone.call('1', fixture.sip);
    await call.rings();
    await call.hangUp();
    const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
    expect((await fixture.realtime.fact('leg:ended', legId)).end.cause).toBe('remote-cancel');
  });

  test('that realtime rejects while it rings gets that status and reason', async () => {
    const callId = fixture.callId();
    fixture.realtime.decide = () => acceptance(callId);
    phone = await SipPhone.open();
    const call = await phone.call('1', fixture.sip);
    await call.rings();
    const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
    await fixture.realtime.command('carrier:reject', { callId, legId, status: 603, reason: 'Decline' });
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 603, reason: 'Decline' });
    expect((await fixture.realtime.fact('leg:ended', legId)).end).toMatchObject({
      cause: 'local',
      sipStatus: 603,
    });
  });

  test('that realtime rejects with an unknown status gets the generic one of its class', async () => {
    fixture.realtime.decide = () => ({ action: 'reject', status: 608, reason: 'Rejected' });
    phone = await SipPhone.open();
    expect(await (await phone.call('1', fixture.sip)).ended()).toMatchObject({ status: 600 });
  });

  test('that the caller cancels before the decision is withdrawn, and a late decision has no effect', async () => {
    const callId = fixture.callId();
    const { promise: late, resolve: decideLate } = Promise.withResolvers<void>();
    fixture.realtime.decide = async () => {
      await late;
      return acceptance(callId);
    };
    phone = await SipPhone.open();
    const before = fixture.realtime.invites.length;
    const call = await phone.call('1', fixture.sip);
    await eventually('realtime has the INVITE', () => fixture.realtime.invites.length > before);
    const request = fixture.realtime.invites.at(-1);
    expect(request?.decideWithinMs).toBe(INVITE_DECISION_TIMEOUT_MS);
    await call.hangUp();
    const withdrawn = await fixture.realtime.fact('invite:withdrawn', request?.legId ?? '');
    expect(withdrawn).toMatchObject({
      request: { inviteId: request?.inviteId },
      end: { cause: 'remote-cancel' },
    });
    decideLate();
    // The reply has arrived once media has processed a command that was sent after it.
    await fixture.realtime.send('call:release', { callId });
    expect(fixture.media.calls.find(callId)).toBeUndefined();
    expect(fixture.media.realtime.isClaimed(callId)).toBe(false);
  });

  test('on which realtime does not decide in time gets 503 and is withdrawn', async () => {
    fixture.realtime.decide = () => null;
    phone = await SipPhone.open();
    const call = await phone.call('1', fixture.sip);
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 503 });
    const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
    expect((await fixture.realtime.fact('invite:withdrawn', legId)).end).toMatchObject({
      cause: 'media-error',
      sipStatus: 503,
    });
  });

  test('while realtime is overloaded is rejected without asking it again, and then decided as before', async () => {
    const overloadedMs = 1_000;
    const rejection = {
      action: 'reject',
      status: 503,
      reason: 'Service Unavailable',
      retryAfterSeconds: 1,
    } as const;
    fixture.realtime.decide = () => ({ ...rejection, overloadedMs });
    phone = await SipPhone.open();
    const since = performance.now();
    const asked = fixture.realtime.invites.length;
    for (let call = 0; call < 3; call += 1)
      expect(await (await phone.call('4930123', fixture.sip)).ended()).toMatchObject({
        how: 'refused',
        status: 503,
      });
    expect(performance.now() - since).toBeLessThan(overloadedMs);
    expect(fixture.realtime.invites).toHaveLength(asked + 1);
    fixture.realtime.decide = () => ({ action: 'reject', status: 486, reason: 'Busy Here' });
    await eventually('realtime is asked again', async () => {
      const { status } = await (await phone.call('4930123', fixture.sip)).ended();
      return status === 486;
    });
  });

  test('that would wait too long for a decision is rejected at once, reported, and never asked about', async () => {
    const held: (() => void)[] = [];
    fixture.realtime.decide = () =>
      new Promise((resolve) => {
        held.push(() => resolve({ action: 'reject', status: 486, reason: 'Busy Here' }));
      });
    phone = await SipPhone.open();
    const calls = await Promise.all(Array.from({ length: 25 }, () => phone.call('4930123', fixture.sip)));
    await eventually('all of them wait', () => held.length === calls.length);
    const reported = () =>
      fixture.realtime.facts.flatMap(({ payload }) =>
        'request' in payload &&
        'end' in payload &&
        payload.end.reason === 'overloaded' &&
        payload.request.requestUser === '4930124'
          ? [payload.request.inviteId]
          : [],
      );
    // They have to wait for longer than a surge; and only one in half a second is reported, perhaps one of the test before.
    await eventually('one more is rejected, and realtime knows of it', async () => {
      const waiting = held.length;
      const call = await phone.call('4930124', fixture.sip);
      await eventually('it waits or is rejected', () => held.length > waiting || call.state === 'ended');
      return call.end?.status === 503 && reported().length > 0;
    });
    const asked = fixture.realtime.invites.map(({ inviteId }) => inviteId);
    for (const inviteId of reported()) expect(asked).not.toContain(inviteId);
    for (const decide of held) decide();
    for (const call of calls) expect(await call.ended()).toMatchObject({ status: 486 });
    fixture.realtime.decide = () => ({ action: 'reject', status: 486, reason: 'Busy Here' });
    expect(await (await phone.call('4930123', fixture.sip)).ended()).toMatchObject({ status: 486 });
  });

  test('that realtime rejects gets that status', async () => {
    fixture.realtime.decide = () => ({ action: 'reject', status: 486, reason: 'Busy Here' });
    phone = await SipPhone.open();
    const call = await phone.call('1', fixture.sip);
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 486 });
  });

  test('that realtime redirects gets 302 with the contact, and realtime knows the contact of the caller', async () => {
    const contact = 'sip:99%234930123@192.0.2.5:5080';
    fixture.realtime.decide = () => ({ action: 'reject', status: 302, reason: 'Moved Temporarily', contact });
    phone = await SipPhone.open();
    const call = await phone.call('88%234930123', fixture.sip);
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 302, reason: 'Moved Temporarily' });
    const response = call.received.at(-1);
    expect(response && header(response, 'contact')).toBe(`<${contact}>`);
    expect(fixture.realtime.invites.at(-1)).toMatchObject({ contactHost: `${phone.address}:${phone.port}` });
  });

  test('with SDP that is invalid or unusable gets 400 or 488 without a request to realtime', async () => {
    phone = await SipPhone.open();
    const before = fixture.realtime.invites.length;
    const junk = await phone.call('1', fixture.sip, { sdp: 'v=1\r\nnonsense\r\n' });
    expect(await junk.ended()).toMatchObject({ status: 400 });
    const opus = await phone.call('1', fixture.sip, {
      sdp: 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 96\r\na=rtpmap:96 opus/48000/2\r\n',
    });
    expect(await opus.ended()).toMatchObject({ status: 488 });
    expect(fixture.realtime.invites.length).toBe(before);
  });

  test('that the remote party hangs up after the answer ends with remote-bye', async () => {
    const callId = fixture.callId();
    fixture.realtime.decide = () => acceptance(callId);
    phone = await SipPhone.open();
    const call = await phone.call('1', fixture.sip);
    await call.rings();
    const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
    await fixture.realtime.command('carrier:answer', { callId, legId });
    await call.answered();
    await fixture.realtime.fact('leg:connected', legId);
    await call.hangUp();
    expect((await fixture.realtime.fact('leg:ended', legId)).end.cause).toBe('remote-bye');
  });

  test('without an offer gets ours in the 200 and uses the answer in the ACK', async () => {
    const callId = fixture.callId();
    fixture.realtime.decide = () => acceptance(callId);
    phone = await SipPhone.open();
    const caller = await RtpPort.open({ law: 'PCMA' });
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const port = socket.address().port;
    const { host, port: server } = fixture.sip;
    const headers = (method: string, branch: string, to = '') => [
      `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${branch}`,
      'From: <sip:caller@127.0.0.1>;tag=f',
      `To: <sip:1@127.0.0.1>${to}`,
      'Call-ID: no-offer@127.0.0.1',
      `CSeq: 1 ${method}`,
      `Contact: <sip:caller@127.0.0.1:${port}>`,
      'Max-Forwards: 70',
    ];
    const send = (lines: string[], body = '') =>
      socket.send(`${[...lines, `Content-Length: ${body.length}`, '', body].join('\r\n')}`, server, host);
    const answered = new Promise<string>((resolve) => {
      socket.on('message', (bytes) => {
        if (bytes.toString().startsWith('SIP/2.0 200')) resolve(bytes.toString());
      });
    });
    const invites = fixture.realtime.invites.length;
    send([`INVITE sip:1@${host}:${server} SIP/2.0`, ...headers('INVITE', 'a')]);
    await eventually('realtime receives the request', () => fixture.realtime.invites.length > invites);
    const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
    await eventually('the leg exists', () => fixture.media.calls.carrier(callId, legId) !== undefined);
    await fixture.realtime.command('carrier:answer', { callId, legId });
    const ok = await answered;
    expect(ok).toContain('RTP/AVP 0 8 101');
    const tag = /^To:.*(;tag=[^\s;]+)/im.exec(ok)?.[1] ?? '';
    const body = [
      'v=0',
      'o=- 1 1 IN IP4 127.0.0.1',
      's=-',
      'c=IN IP4 127.0.0.1',
      't=0 0',
      `m=audio ${caller.port} RTP/AVP 8`,
      '',
    ].join('\r\n');
    send(
      [`ACK sip:1@${host}:${server} SIP/2.0`, ...headers('ACK', 'b', tag), 'Content-Type: application/sdp'],
      body,
    );
    expect(await fixture.realtime.fact('leg:connected', legId)).toMatchObject({ codec: 'PCMA' });
    await fixture.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });
    await eventually('the caller hears the hold tone', () => containsTone(caller.heard, 'PCMA', 440, 200));
    await fixture.realtime.command('call:release', { callId });
    caller.close();
    socket.close();
  });
});
