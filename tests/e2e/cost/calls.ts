/** One call of each type, from its first message to its last event, without waiting for anything but the other side. */
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import type { SipCall } from '@clarion/test-phone/sip/call';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { uploadTone } from '@clarion/testkit/recordings/upload-tone';
import { intend, isOf, line, openCallCentre } from '@clarion/testkit/stack/call-centre';
import type { TestStack } from '@clarion/testkit/stack/stack';
import type { CallType } from './ceilings.ts';

const PROMPT_HZ = 700;
const PROMPT_SECONDS = 0.5;

export interface Site {
  t: TestStack;
  ada: ScriptedAgent;
  play: Record<CallType, () => Promise<void>>;
}

/** One agent on one device, with a queue, a personal line, and a line with a menu whose key 1 leads to the queue. */
export async function openSite(t: TestStack): Promise<Site> {
  const { main } = await openCallCentre(t);
  const personal = await line(t, 'personal', { owner_agent_ref: 'ada' });
  const menu = await lineWithMenu(t);
  const ada = await t.agent('ada');
  await ada.available();
  const answered = (callId: number) => t.webhooks.waitFor(isOf(callId, 'call.answered'));
  const ended = (callId: number) => t.webhooks.waitFor(isOf(callId, 'call.ended'));
  const dial = async (number: string) => (await t.phone()).call(number, t.sip);

  const answerAndEnd = async (call: SipCall) => {
    const { callId } = await ada.incoming();
    await ada.accept(callId);
    await answered(callId);
    await call.hangUp();
    await ended(callId);
  };
  const play: Site['play'] = {
    queue: async () => answerAndEnd(await dial(main)),
    abandoned: async () => {
      const call = await dial(main);
      const { callId } = await ada.incoming();
      await call.hangUp();
      await ended(callId);
    },
    outbound: async () => {
      const taken = t.carrier.nextCall();
      const callId = await intend(t, 'ada');
      await ada.start(callId);
      const call = await taken;
      await answered(callId);
      await call.hangUp();
      await ended(callId);
    },
    personal: async () => answerAndEnd(await dial(personal)),
    ivr: async () => {
      const call = await dial(menu);
      await call.answered();
      await hearsTone(call.audio, PROMPT_HZ);
      await pressKeys(call.audio, '1');
      await answerAndEnd(call);
    },
  };
  return { t, ada, play };
}

async function lineWithMenu(t: TestStack): Promise<string> {
  const number = await line(t, 'menu', {});
  const prompt = await uploadTone(t.v1, { hz: PROMPT_HZ, seconds: PROMPT_SECONDS });
  const { queue } = await t.v1.ok<{ queue: { id: number } }>('GET', '/v1/tenants/shop/queues/sales');
  const nodes = [
    { id: 'start', type: 'ivr_start' },
    { id: 'menu', type: 'ivr_menu', data: { label: 'Menu', audioFileId: prompt } },
    { id: 'queue', type: 'ivr_transfer', data: { targetType: 'queue', targetId: queue.id } },
  ];
  const edges = [
    { source: 'start', target: 'menu' },
    { source: 'menu', target: 'queue', sourceHandle: '1' },
  ];
  await t.v1.ok('PUT', '/v1/tenants/shop/ivr-flows/menu', {
    name: 'Menu',
    channel_ref: 'menu',
    structure: { nodes, edges },
  });
  return number;
}
