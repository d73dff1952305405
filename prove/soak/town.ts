/** Where the soak takes place: one tenant with queues of every strategy, a flow, personal lines, agents and supervisors. */
import { line } from '@clarion/testkit/stack/call-centre';
import { uploadTone } from '@clarion/testkit/recordings/upload-tone';
import type { TestStack } from '@clarion/testkit/stack/stack';

export const TENANT = 'town';
const at = `/v1/tenants/${TENANT}`;

export interface Town {
  agents: string[];
  /** Agents who live in Chromium. */
  inBrowsers: string[];
  supervisors: string[];
  /** Numbers of every inbound line. */
  numbers: string[];
  /** The line whose callers meet a flow. */
  flowNumber: string;
  queueIds: number[];
  agentIds: Map<string, number>;
}

export async function buildTown(
  t: TestStack,
  size: { agents: number; supervisors: number; browsers: number },
): Promise<Town> {
  const agents = Array.from({ length: size.agents }, (_, i) => `agent-${i}`);
  const supervisors = Array.from({ length: size.supervisors }, (_, i) => `supervisor-${i}`);
  const inBrowsers = Array.from({ length: size.browsers }, (_, i) => `browser-${i}`);
  await t.v1.ok('PUT', at, {
    name: 'Town',
    settings: { team_view: true, monitoring: { modes: ['listen', 'whisper', 'barge'] } },
  });
  const agentIds = new Map<string, number>();
  for (const ref of [...agents, ...inBrowsers, ...supervisors]) {
    const role = ref.startsWith('supervisor') ? 'SUPERVISOR' : 'AGENT';
    const { agent } = await t.v1.ok<{ agent: { id: number } }>('PUT', `${at}/agents/${ref}`, {
      name: ref,
      role,
    });
    agentIds.set(ref, agent.id);
  }
  const members = (refs: string[]) => refs.map((agent_ref, i) => ({ agent_ref, priority: 1 + (i % 3) }));
  const half = Math.ceil(agents.length / 2);
  const holdAudio = await uploadTone(t.v1, { tenant: TENANT, hz: 500, seconds: 2 });
  const prompt = await uploadTone(t.v1, { tenant: TENANT, hz: 700, seconds: 1 });
  const queueIds = [
    await queue(t, 'backup', {
      strategy: 'RING_ALL',
      max_wait_seconds: 8,
      members: members(agents.slice(half)),
    }),
    await queue(t, 'sales', {
      strategy: 'ROUND_ROBIN',
      max_wait_seconds: 10,
      overflow_queue_ref: 'backup',
      hold_audio_asset_id: holdAudio,
      wrap_up_seconds: 1,
      members: members(agents.slice(0, half)),
    }),
    await queue(t, 'vip', {
      strategy: 'PRIORITY',
      max_wait_seconds: 12,
      max_active_calls: half,
      members: members([...inBrowsers, ...agents]),
    }),
  ];
  const to = (ref: string, more: object) =>
    line(t, ref, { ring_timeout_seconds: null, ...more }, { tenant: TENANT });
  const numbers = [
    await to('main', { inbound_queue_ref: 'sales', recording_enabled: true }),
    await to('vip', { inbound_queue_ref: 'vip' }),
    await to('own-0', { owner_agent_ref: agents[0], ring_timeout_seconds: 5 }),
    await to('own-1', { owner_agent_ref: agents[1], ring_timeout_seconds: 5, recording_enabled: true }),
    await to('nowhere', {}),
  ];
  const flowNumber = await to('menu', { inbound_queue_ref: 'sales' });
  await putFlow(t, prompt, queueIds);
  return { agents, inBrowsers, supervisors, numbers, flowNumber, queueIds, agentIds };
}

async function queue(t: TestStack, ref: string, more: object): Promise<number> {
  const { queue: made } = await t.v1.ok<{ queue: { id: number } }>('PUT', `${at}/queues/${ref}`, {
    name: ref,
    ring_timeout_seconds: 5,
    ...more,
  });
  return made.id;
}

/** 1: the vip queue. 2: a farewell. Nothing, or another key: the menu again, then the line's own queue. */
async function putFlow(t: TestStack, prompt: number, queueIds: number[]): Promise<void> {
  await t.v1.ok('PUT', `${at}/ivr-flows/welcome`, {
    name: 'Welcome',
    channel_ref: 'menu',
    structure: {
      nodes: [
        { id: 'start', type: 'ivr_start', data: {} },
        {
          id: 'menu',
          type: 'ivr_menu',
          data: { audioFileId: prompt, timeoutSeconds: 2, noInputAction: 'next', maxReplays: 1 },
        },
        { id: 'vip', type: 'ivr_transfer', data: { targetType: 'queue', targetId: queueIds[2] } },
        { id: 'bye', type: 'ivr_play', data: { audioFileId: prompt } },
        { id: 'end', type: 'ivr_hangup', data: {} },
        { id: 'sales', type: 'ivr_transfer', data: { targetType: 'queue', targetId: queueIds[1] } },
      ],
      edges: [
        { source: 'start', target: 'menu' },
        { source: 'menu', target: 'vip', sourceHandle: '1' },
        { source: 'menu', target: 'bye', sourceHandle: '2' },
        { source: 'menu', target: 'sales', sourceHandle: 'next' },
        { source: 'bye', target: 'end' },
      ],
    },
  });
}
