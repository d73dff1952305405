import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { aCall } from '@clarion/testkit/agents/a-call';
import { log, logged, microphones, onCall, signIn, type AgentWindow } from './agent-tab.ts';
import { isHeard, openAgent, openPage, service, useBrowserFixture } from './browser-fixture.ts';

useBrowserFixture();

/** The fake microphone beeps once a second. */
const QUIET_MS = 1_500;
const QUIET_ENERGY = 1e-6;

async function inCall(page: Page): Promise<void> {
  service.offer(aCall());
  await logged(page, 'incoming 1');
  await onCall(page, 'accept');
  await logged(page, 'remoteStream 1');
}

/** True if the other end receives no audio from the agent for a second. */
async function hearsNothing(): Promise<boolean> {
  const before = await service.heardEnergy();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  return (await service.heardEnergy()) - before < QUIET_ENERGY;
}

describe('an agent in a browser', { timeout: 60_000 }, () => {
  test('answers a call, is audible, and hangs up', async () => {
    const page = await openAgent();
    service.offer(aCall());
    await logged(page, 'incoming 1');
    await onCall(page, 'accept');
    await logged(page, 'remoteStream 1');
    await isHeard();
    await onCall(page, 'hangup');
    await logged(page, 'state ended 1');
    expect(await log(page)).toEqual(['incoming 1', 'state active 1', 'remoteStream 1', 'state ended 1']);
  });

  test('plays the customer’s audio, unless the app listens for the stream to play it itself', async () => {
    const page = await openAgent();
    const played = (listens: boolean) =>
      page.evaluate(async (appListens) => {
        const tab = window as AgentWindow;
        const connect = { url: location.origin, getToken: () => 'none', deviceId: `device-${appListens}` };
        const agent = await tab.Clarion.connect(connect);
        if (appListens) agent.on('remoteStream', () => undefined);
        let plays = 0;
        const { play } = HTMLMediaElement.prototype;
        HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
          plays += 1;
          return play.call(this);
        };
        const call = await agent.startOutbound(9);
        if (!call.remoteStream) await call.once('updated');
        while (call.media !== 'connected') await call.once('updated');
        HTMLMediaElement.prototype.play = play;
        agent.disconnect();
        return plays;
      }, listens);
    expect([await played(false), await played(true)]).toEqual([1, 0]);
  });

  test('starts an outbound call and receives the customer’s answer', async () => {
    const page = await openAgent();
    await page.evaluate(async () => {
      const tab = window as AgentWindow;
      const call = await tab.agent.startOutbound(9);
      tab.log.push(`resolved ${call.id} ${call.state}`);
    });
    service.change({ state: 'active' });
    await logged(page, 'state active 9');
    await logged(page, 'remoteStream 9');
    expect((await log(page)).slice(0, 2)).toEqual(['state dialing 9', 'resolved 9 dialing']);
  });

  test('resumes the live call automatically after a reload', async () => {
    const page = await openAgent();
    service.offer(aCall());
    await logged(page, 'incoming 1');
    await onCall(page, 'accept');
    await logged(page, 'remoteStream 1');
    service.forget();
    await page.reload();
    await signIn(page);
    await service.next('call:resume');
    await logged(page, 'remoteStream 1');
    await isHeard();
  });

  test('resumes the call with a warning when the media node fails', async () => {
    const page = await openAgent();
    await inCall(page);
    service.forget();
    await service.killMedia();
    await service.next('call:resume');
    await logged(page, 'warning ice-connectivity-lost false');
    await isHeard();
    expect(await log(page)).toContain('warning ice-connectivity-lost true');
  });

  test('reconnects with a fresh token when the service drops it, and the call continues without a new offer', async () => {
    const page = await openAgent();
    await inCall(page);
    service.forget();
    service.drop();
    await logged(page, 'connection connected');
    await isHeard();
    expect(service.received).toEqual([]);
    expect(service.tokens).toEqual([expect.stringContaining('token-1'), expect.stringContaining('token-2')]);
    expect(await log(page)).toContain('connection reconnecting');
  });

  test('mutes immediately while disconnected, and notifies the service after the reconnection', async () => {
    const page = await openAgent();
    await inCall(page);
    service.refuse = { code: 'internal_error', message: 'Down.' };
    service.drop();
    await logged(page, 'connection reconnecting');
    const muted = await page.evaluate(async () => {
      const [call] = (window as AgentWindow).agent.calls;
      await call?.mute(true);
      return call?.muted;
    });
    expect(muted).toBe(true);
    await expect.poll(hearsNothing, { timeout: 10_000 }).toBe(true);
    service.refuse = null;
    expect((await service.next('call:mute')).payload).toEqual({ callId: 1, muted: true });
  });

  test('is inaudible while on hold, and audible again afterwards', async () => {
    const page = await openAgent();
    await inCall(page);
    await isHeard();
    await page.evaluate(() => (window as AgentWindow).agent.calls[0]?.hold(true));
    await expect.poll(hearsNothing, { timeout: 10_000 }).toBe(true);
    await page.evaluate(() => (window as AgentWindow).agent.calls[0]?.hold(false));
    await isHeard();
  });

  test('transfers to a colleague: inaudible meanwhile, audible if it returns, and ended once it is accepted', async () => {
    const page = await openAgent();
    await inCall(page);
    await isHeard();
    const transfer = () =>
      page.evaluate(async () => {
        const { agent } = window as AgentWindow;
        const [bob] = (await agent.colleagues()).agents;
        await agent.calls[0]?.transfer({ agentId: bob?.agentId ?? 0 });
        return agent.calls[0]?.transferring?.to;
      });
    const failed = () =>
      page.evaluate(() => {
        const [call] = (window as AgentWindow).agent.calls;
        return { why: call?.transferFailed, still: call?.transferring, state: call?.state };
      });
    expect(await transfer()).toEqual({ kind: 'agent', agentId: 8, name: 'Bob' });
    expect((await service.next('call:transfer')).payload).toEqual({ callId: 1, agentId: 8 });
    await expect.poll(hearsNothing, { timeout: 10_000 }).toBe(true);
    await page.evaluate(() => (window as AgentWindow).agent.calls[0]?.cancelTransfer());
    expect(await failed()).toEqual({ why: 'CANCELLED', still: null, state: 'active' });
    await isHeard();

    await transfer();
    service.change({ state: 'ended', transfer: null });
    await logged(page, 'state ended 1');
    expect(await page.evaluate(() => (window as AgentWindow).agent.calls.length)).toBe(0);
  });

  test('receives the reason of a withdrawn offer, and can decline an offer', async () => {
    const page = await openAgent();
    service.offer(aCall());
    await logged(page, 'incoming 1');
    service.withdraw('TIMEOUT');
    await logged(page, 'withdrawn 1 TIMEOUT');
    service.offer(aCall({ callId: 2 }));
    await logged(page, 'incoming 2');
    await onCall(page, 'decline');
    expect((await service.next('call:decline')).payload).toEqual({ callId: 2 });
  });

  test('receives an offer that rang before the page opened once the app listens', async () => {
    service.offer(aCall());
    const page = await openAgent();
    await logged(page, 'incoming 1');
  });

  test('gets an error when accepting a call that has ended, and the microphone is closed', async () => {
    const page = await openAgent();
    service.offer(aCall());
    await logged(page, 'incoming 1');
    service.call = null;
    const code = await page.evaluate(async () => {
      const [call] = (window as AgentWindow).agent.calls;
      return call?.accept().catch((error: { code: string }) => `${error.code} ${call.here} ${call.media}`);
    });
    expect(code).toBe('call_ended false idle');
  });

  test('sends digits in chunks that the service accepts, and rejects invalid characters', async () => {
    const page = await openAgent();
    await inCall(page);
    const refused = await page.evaluate(async () => {
      const [call] = (window as AgentWindow).agent.calls;
      await call?.sendDigits(`1 2*#ab${'5'.repeat(40)}`);
      return call?.sendDigits('hello').catch((error: { code: string }) => error.code);
    });
    expect(refused).toBe('invalid_request');
    const sent = service.received
      .filter(({ message }) => message === 'call:dtmf')
      .map(({ payload }) => payload['digits']);
    expect(sent.join('')).toBe(`12*#AB${'5'.repeat(40)}`);
    expect(sent).toHaveLength(2);
  });

  test('gets an error with the code of a rejected token', async () => {
    service.refuse = { code: 'unauthorized', message: 'The token has expired.' };
    const page = await openPage();
    const error = await page.evaluate(() =>
      (window as AgentWindow).Clarion.connect({ url: location.origin, getToken: () => 'nonsense' }).then(
        () => 'connected',
        (reason: { name: string; code: string; message: string }) =>
          `${reason.name} ${reason.code} ${reason.message}`,
      ),
    );
    expect(error).toBe('ClarionError unauthorized The token has expired.');
  });

  test('replaces its connection before the token expires, without a gap', async () => {
    const page = await openAgent({ lifetimeSeconds: 10 });
    await expect.poll(() => service.tokens.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
    service.offer(aCall());
    await logged(page, 'incoming 1');
    expect(await log(page)).toEqual(['incoming 1']);
  });

  test('leaves no connection behind when it is disconnected while it connects', async () => {
    const page = await openAgent();
    service.sessionsWait = new Promise(() => {});
    service.drop();
    await logged(page, 'connection reconnecting');
    await expect.poll(() => service.sockets, { timeout: 15_000 }).toBe(1);
    await page.evaluate(() => (window as AgentWindow).agent.disconnect());
    await expect.poll(() => service.sockets).toBe(0);
  });

  test('keeps a call that arrives while its connection is being replaced', async () => {
    const page = await openAgent({ lifetimeSeconds: 10 });
    let send = () => {};
    service.sessionsWait = new Promise((resolve) => (send = resolve));
    await expect.poll(() => service.sockets, { timeout: 15_000 }).toBe(2);
    service.offer(aCall());
    await logged(page, 'incoming 1');
    service.forget();
    send(); // a session from before the call
    await service.next('resync');
    await onCall(page, 'accept');
    await logged(page, 'remoteStream 1');
    expect(await log(page)).toEqual(['incoming 1', 'state active 1', 'remoteStream 1']);
  });

  test('continues with a warning when the microphone is unplugged', async () => {
    const page = await openAgent();
    await inCall(page);
    await isHeard();
    await page.evaluate(() => {
      const tab = window as AgentWindow;
      // What a browser does when the device of a track is unplugged.
      tab.microphones.at(-1)?.stop();
      tab.microphones.at(-1)?.dispatchEvent(new Event('ended'));
    });
    await logged(page, 'warning microphone-fell-back true');
    await isHeard();
  });

  test('stays in the call without a microphone, and the customer hears silence', async () => {
    const page = await openAgent();
    await inCall(page);
    await page.evaluate(() => {
      const tab = window as AgentWindow;
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('gone', 'NotFoundError'));
      tab.microphones.at(-1)?.stop();
      tab.microphones.at(-1)?.dispatchEvent(new Event('ended'));
    });
    await logged(page, 'warning microphone-missing true');
    expect(await page.evaluate(() => (window as AgentWindow).agent.calls[0]?.media)).toBe('connected');
  });

  test('gets a specific error if the microphone is blocked, and the call keeps ringing', async () => {
    const page = await openAgent();
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    service.offer(aCall());
    await logged(page, 'incoming 1');
    const result = await page.evaluate(async () => {
      const [call] = (window as AgentWindow).agent.calls;
      return call?.accept().catch((error: { code: string }) => `${error.code} ${call.state}`);
    });
    expect(result).toBe('microphone_blocked incoming');
  });
});

describe('tabs of one browser', { timeout: 60_000 }, () => {
  test('share one connection, and both receive a call', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    expect(service.sockets).toBe(1);
    service.offer(aCall());
    await Promise.all([logged(first, 'incoming 1'), logged(second, 'incoming 1')]);
    const leading = await Promise.all(
      [first, second].map((tab) => tab.evaluate(() => (window as AgentWindow).agent.leading)),
    );
    expect(leading).toEqual([true, false]);
  });

  test('can answer with their own audio without holding the connection, and the others follow', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    service.offer(aCall());
    await logged(second, 'incoming 1');
    await onCall(second, 'accept');
    await logged(second, 'remoteStream 1');
    await isHeard();
    await logged(first, 'state active 1');
    const here = await Promise.all(
      [first, second].map((tab) => tab.evaluate(() => (window as AgentWindow).agent.calls[0]?.here)),
    );
    expect(here).toEqual([false, true]);
    await onCall(first, 'hangup');
    await Promise.all([logged(first, 'state ended 1'), logged(second, 'state ended 1')]);
  });

  test('take over the connection when the leading tab is closed, and the call continues', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    await inCall(second);
    service.forget();
    await first.close();
    await logged(second, 'connection connected');
    await isHeard();
    expect(service.received.map(({ message }) => message)).not.toContain('call:resume');
  });

  test('take over the connection when the phone in the leading tab is closed, and are not told that it ended', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    await first.evaluate(() => (window as AgentWindow).agent.disconnect());
    await logged(second, 'connection connected');
    expect(await log(second)).not.toContain('connection disconnected');
    expect(await log(first)).toContain('connection disconnected');
  });

  test('can each connect again after the service has rejected their agent', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    service.refuse = { code: 'tenant_suspended', message: 'The tenant is suspended.' };
    service.drop();
    await Promise.all([logged(first, 'connection disconnected'), logged(second, 'connection disconnected')]);
    service.refuse = null;
    await signIn(second);
    expect(service.sockets).toBe(1);
  });

  test('resume the call of a tab that is closed', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    await inCall(second);
    await logged(first, 'state active 1');
    service.forget();
    await second.close();
    await service.next('call:resume');
    await logged(first, 'remoteStream 1');
    await isHeard();
  });

  test('can take a live call from another tab, which then closes its microphone', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    await inCall(first);
    await logged(second, 'state active 1');
    await second.evaluate(() => (window as AgentWindow).agent.calls[0]?.resume());
    await logged(second, 'remoteStream 1');
    await first.waitForFunction(() => (window as AgentWindow).agent.calls[0]?.here === false);
    expect(await microphones(first)).toEqual(['ended']);
    await isHeard();
  });
});
