/** Answers calls one after another in Chromium, and measures when each step happened after the click. */
import { performance } from 'node:perf_hooks';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { lifeOf, openCallCentre } from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { installAnswerProbe } from './page-probe.ts';

const CUSTOMER_HZ = 440;
/** The device opens and the offer is created within this time of the first ring; nobody answers faster. */
const REACTION_MS = 500;

/** Milliseconds after the click. */
export interface Answer {
  claim: number;
  sdpAnswer: number;
  connected: number;
  /** The caller received the 200. */
  answered: number;
  agentHears: number;
  callerHears: number;
}

export interface Plan {
  calls: number;
  /** Answer at the first moment possible, so that the microphone is still opening. */
  atOnce: boolean;
}

export async function measureAnswers(plan: Plan, say: (line: string) => void): Promise<Answer[]> {
  say('starting a separate stack and Chromium');
  const t = await TestStack.boot({ env: { CLARION_LOG_LEVEL: 'warn' } });
  const browser = await TestBrowser.launch();
  const site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef));
  try {
    const { main } = await openCallCentre(t);
    const context = await browser.browser.newContext({ permissions: ['microphone'] });
    await context.addInitScript(installAnswerProbe);
    const agent = await site.agent(browser, 'ada', { context });
    await agent.setAvailability('AVAILABLE');
    const answers: Answer[] = [];
    // Chromium starts its audio process for the first call, which is not counted.
    for (let call = 0; call <= plan.calls; call += 1) {
      const answer = await measureAnswer(t, agent, main, plan);
      if (call > 0) answers.push(answer);
      say(call === 0 ? 'first call answered' : `call ${call} of ${plan.calls}`);
    }
    return answers;
  } finally {
    site.close();
    await browser.close();
    await t.stop();
  }
}

async function measureAnswer(t: TestStack, agent: SdkAgent, number: string, plan: Plan): Promise<Answer> {
  const phone = await t.phone();
  const incoming = agent.nextEvent('incoming');
  const call = await phone.call(number, t.sip);
  const { callId } = await incoming;
  if (!plan.atOnce) await agent.browserPage.page.waitForTimeout(REACTION_MS);
  const callerHears = firstPacket(call);
  const answered = call.answered().then(() => call.audio.sendTone(CUSTOMER_HZ));
  const { click, ...page } = await agent.browserPage.page.evaluate(
    (id) => window.answerAndMeasure(id),
    callId,
  );
  await answered;
  const heardAt = await callerHears;
  await agent.hangup(callId);
  await lifeOf(t, callId);
  phone.close();
  return {
    claim: page.claim - click,
    sdpAnswer: page.sdpAnswer - click,
    connected: page.connected - click,
    answered: performance.timeOrigin + (call.times.answered ?? NaN) - click,
    agentHears: page.audio - click,
    callerHears: heardAt - click,
  };
}

/** When the phone receives the first packet of its call, in Unix milliseconds. */
async function firstPacket({ audio }: SipCall): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  audio.onPacket = ({ at }) => {
    audio.onPacket = null;
    resolve(performance.timeOrigin + at);
  };
  return promise;
}
