import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { aCall } from '@clarion/testkit/agents/a-call';
import { log, logged, microphones, onCall, signIn, type AgentWindow } from './agent-tab.ts';
import { openAgent, openPage, service, useStage } from './stage.ts';

useStage();

/** The fake microphone beeps once a second. */
const QUIET_MS = 1_500;
const QUIET_ENERGY = 1e-6;

async function inCall(page: Page): Promise<void> {
  service.offer(aCall());
  await logged(page, 'incoming 1');
  await onCall(page, 'accept');
  await logged(page, 'remoteStream 1');
}

/** True when a second passes in which the other end hears nothing of the agent. */
async function hearsNothing(): Promise<boolean> {
  const before = await service.heardEnergy();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  return (await service.heardEnergy()) - before < QUIET_ENERGY;
}

/** Resolves once the other end hears more of the agent than it has so far. */
async function isHeard(): Promise<void> {
  const before = await service.heardEnergy();
  await expect.poll(() => service.heardEnergy(), { timeout: 10_000 }).toBeGreaterThan(before);
}

describe('an agent in a browser', { timeout: 60_000 }, () => {
  test('answers a call, is heard, and hangs up', async () => {
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

  test('plays the customer, unless the app listens for the stream to play it itself', async () => {
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

  test('starts an outbound call and hears when the customer answers', async () => {
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

  test('a reload resumes the live call unasked', async () => {
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

  test('resumes when the media under the call dies, and says so', async () => {
    const page = await openAgent();
    await inCall(page);
    service.forget();
    await service.killMedia();
    await service.next('call:resume');
    await logged(page, 'warning ice-connectivity-lost false');
    await isHeard();
    expect(await log(page)).toContain('warning ice-connectivity-lost true');
  });

  test('connects again with a fresh token when the service drops it, and the call goes on without a new offer', async () => {
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

  test('mutes at once while the service is away, and tells it when it is back', async () => {
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

  test('on hold nothing of the agent is heard, and after it the agent is heard again', async () => {
    const page = await openAgent();
    await inCall(page);
    await isHeard();
    await page.evaluate(() => (window as AgentWindow).agent.calls[0]?.hold(true));
    await expect.poll(hearsNothing, { timeout: 10_000 }).toBe(true);
    await page.evaluate(() => (window as AgentWindow).agent.calls[0]?.hold(false));
    await isHeard();
  });

  test('transfers to a colleague: not heard meanwhile, heard when it comes back, and over when they have it', async () => {
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

  test('hears why an offer went, and may decline one', async () => {
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

  test('an offer that rang before the page opened is raised once the app listens', async () => {
    service.offer(aCall());
    const page = await openAgent();
    await logged(page, 'incoming 1');
  });

  test('a call that was lost meanwhile is an error on accepting, and the microphone is let go', async () => {
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

  test('sends keys in pieces the service takes, and refuses what is no key', async () => {
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

  test('a refused token is an error with its code', async () => {
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

  test('replaces its connection before the token runs out, without a gap', async () => {
    const page = await openAgent(10);
    await expect.poll(() => service.tokens.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
    service.offer(aCall());
    await logged(page, 'incoming 1');
    expect(await log(page)).toEqual(['incoming 1']);
  });

  test('goes on when the microphone is unplugged, and says so', async () => {
    const page = await openAgent();
    await inCall(page);
    await isHeard();
    await page.evaluate(() => {
      const tab = window as AgentWindow;
      // What a browser does when the device under a track goes.
      tab.microphones.at(-1)?.stop();
      tab.microphones.at(-1)?.dispatchEvent(new Event('ended'));
    });
    await logged(page, 'warning microphone-fell-back true');
    await isHeard();
  });

  test('with no microphone left the customer hears silence, and the call stays', async () => {
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

  test('a blocked microphone is its own error, and the call keeps ringing', async () => {
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
  test('share one connection, and both hear of a call', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    expect(service.sockets).toBe(1);
    service.offer(aCall());
    await Promise.all([logged(first, 'incoming 1'), logged(second, 'incoming 1')]);
    const leading = await Promise.all(
      [first, second].map((tab) => tab.evaluate(() => (window as AgentWindow).agent.leading)),
    );
    expect(leading).toEqual([true, false]);
  });

  test('a tab without the connection answers with its own audio, and the others follow', async () => {
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

  test('the next tab takes the connection over when the leading one closes, and the call goes on', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    await inCall(second);
    service.forget();
    await first.close();
    await logged(second, 'connection connected');
    await isHeard();
    expect(service.received.map(({ message }) => message)).not.toContain('call:resume');
  });

  test('a call whose tab is closed is picked up by the one that stays', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    await inCall(second);
    await logged(first, 'state active 1');
    service.forget();
    await second.close();
    await service.next('call:resume');
    await logged(first, 'remoteStream 1');
    await isHeard();
  });

  test('a running call can be brought to another tab, and the first one lets go of its microphone', async () => {
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
