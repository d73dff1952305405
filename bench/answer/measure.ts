/** Answers calls one after another in Chromium, and measures when each step happened after the click. */
import { performance } from 'node:perf_hooks';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { lifeOf, openCallCentre, whatsAppLine } from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { FarCall } from '@clarion/testkit/peers/far-call';
import { decode } from '@clarion/test-phone/rtp/g711';
import { installAnswerProbe } from './page-probe.ts';

const CUSTOMER_HZ = 440;
/** The device opens and the offer is created within this time of the first ring; nobody answers faster. */
const REACTION_MS = 500;
/** A sample of the agent's tone above this is heard; silence is far below. */
const AUDIBLE = 1_000;

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
  whatsApp: boolean;
}

export async function measureAnswers(plan: Plan, say: (line: string) => void): Promise<Answer[]> {
  say('starting a separate stack and Chromium');
  const t = await TestStack.boot({ env: { CLARION_LOG_LEVEL: 'warn' } });
  const browser = await TestBrowser.launch();
  const site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef));
  try {
    const { main } = await openCallCentre(t);
    const own = plan.whatsApp ? await whatsAppLine(t, 'own', { owner_agent_ref: 'ada' }) : null;
    const place = async () =>
      own === null ? (await t.phone()).call(main, t.sip) : t.meta.addCustomer().call(own);
    const context = await browser.browser.newContext({ permissions: ['microphone'] });
    await context.addInitScript(installAnswerProbe);
    const agent = await site.agent(browser, 'ada', { context });
    await agent.setAvailability('AVAILABLE');
    const answers: Answer[] = [];
    // Chromium starts its audio process for the first call, which is not counted.
    for (let call = 0; call <= plan.calls; call += 1) {
      const answer = await measureAnswer(t, agent, place, plan);
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

async function measureAnswer(
  t: TestStack,
  agent: SdkAgent,
  place: () => Promise<FarCall>,
  plan: Plan,
): Promise<Answer> {
  const incoming = await agent.watchFor('incoming');
  const call = await place();
  const { callId } = await incoming();
  if (!plan.atOnce) await agent.browserPage.page.waitForTimeout(REACTION_MS);
  const callerHears = firstAudible(call);
  const answered = call.answered().then(() => {
    call.audio.sendTone(CUSTOMER_HZ);
    return now();
  });
  const { click, ...page } = await agent.browserPage.page.evaluate(
    (id) => window.answerAndMeasure(id),
    callId,
  );
  const answeredAt = await answered;
  const heardAt = await callerHears;
  await agent.hangup(callId);
  await lifeOf(t, callId);
  t.release();
  return {
    claim: page.claim - click,
    sdpAnswer: page.sdpAnswer - click,
    connected: page.connected - click,
    answered: answeredAt - click,
    agentHears: page.audio - click,
    callerHears: heardAt - click,
  };
}

const now = () => performance.timeOrigin + performance.now();

/** When the customer hears the agent for the first time, in Unix milliseconds. */
async function firstAudible({ audio }: FarCall): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  audio.onPacket = ({ at, payload }) => {
    if (!decode(audio.law, payload).some((sample) => sample > AUDIBLE)) return;
    audio.onPacket = null;
    resolve(performance.timeOrigin + at);
  };
  return promise;
}
