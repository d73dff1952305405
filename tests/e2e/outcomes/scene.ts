/**
 * The fixture of one row: a separate tenant, so that rows can run concurrently, with its agents, lines and queues, a phone that places
 * inbound calls, and a customer who can be called.
 */
import assert from 'node:assert/strict';
import { type Behaviour, type PhoneOptions, type SipPhone } from '@clarion/test-phone/sip/phone';
import { type ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { type SipCall } from '@clarion/test-phone/sip/call';
import { type TestStack } from '@clarion/testkit/stack/stack';
import { lifeOf, line, newestCall, type Life } from '@clarion/testkit/stack/call-centre';
import { uploadTone } from '@clarion/testkit/recordings/upload-tone';
import { callDetail, type CallView } from '@clarion/protocol/call';
import type { CallEnd } from '@clarion/test-phone/sip/call';
import type { CallOptions } from '@clarion/test-phone/sip/phone';

/** The minimum of the time limits of queues and lines. */
export const SHORTEST_SECONDS = 5;
export const CUSTOMER = '441632960123';
/** Limit for the events of a call that ends only after a timeout. */
const ENDS_WITHIN_MS = 40_000;

export interface Happened {
  callId: number;
  /** The carrier's side of the call; null if no carrier was reached. */
  far: SipCall | null;
}

export interface Row {
  how: string;
  ends: {
    status?: 'TERMINATED' | 'FAILED';
    reason: CallView['terminationReason'];
    by: CallView['terminatedBy'];
    /** How it ended for the carrier, with the SIP status if there is one; null if the carrier never received the call. */
    wire: [CallEnd['how'], number | null] | null;
    answered?: boolean;
    agentRef?: string | null;
    channelRef?: string;
    queueRef?: string | null;
    /** failureDetails.sipStatus */
    sipStatus?: number;
  };
  run: (scene: Scene) => Promise<Happened>;
}

let scenes = 0;
/** By the called number. */
const customers = new Map<string, { behaviour: Behaviour; taken: (call: SipCall) => void }>();

/** Makes the carrier's far end behave as each row specified for its customer. */
export function routeCustomers({ carrier }: TestStack): void {
  carrier.onCall = (call) => customers.get(call.called)?.taken(call);
  carrier.behaviour = (call) => customers.get(call.called)?.behaviour ?? { do: 'answer' };
}

export class Scene {
  readonly t: TestStack;
  readonly tenant: string;
  readonly phone: SipPhone;
  /** The number of the customer who can be called. */
  readonly number: string;

  private constructor(t: TestStack, phone: SipPhone, index: number) {
    this.t = t;
    this.phone = phone;
    this.tenant = `row-${index}`;
    this.number = `44207946${String(2000 + index)}`;
  }

  static async open(t: TestStack, phone: PhoneOptions = {}): Promise<Scene> {
    const index = ++scenes;
    const scene = new Scene(t, await t.phone(phone), index);
    await t.v1.ok('PUT', scene.at(''), { name: scene.tenant });
    return scene;
  }

  at(path: string): string {
    return `/v1/tenants/${this.tenant}${path}`;
  }

  /** Connects an agent and makes it available, unless `shift` is OFFLINE. */
  async agent(
    ref: string,
    { shift = 'AVAILABLE', deviceId = 'desk' }: { shift?: 'AVAILABLE' | 'OFFLINE'; deviceId?: string } = {},
  ): Promise<ScriptedAgent> {
    await this.put(`/agents/${ref}`, { name: ref });
    const agent = await this.t.agent(ref, { tenant: this.tenant, deviceId });
    if (shift === 'AVAILABLE') await agent.available();
    return agent;
  }

  async put(path: string, body: object): Promise<void> {
    await this.t.v1.ok('PUT', this.at(path), body);
  }

  async queue(ref: string, members: string[], more: object = {}): Promise<void> {
    const short = { ring_timeout_seconds: SHORTEST_SECONDS, max_wait_seconds: 60 };
    await this.put(`/queues/${ref}`, {
      name: ref,
      ...short,
      members: members.map((agent_ref) => ({ agent_ref })),
      ...more,
    });
  }

  /** Creates a line. @returns its number */
  async line(ref: string, body: Record<string, unknown>): Promise<string> {
    return line(this.t, ref, body, { tenant: this.tenant });
  }

  /** A shared line with agents in its queue `sales`. */
  async shared(members: string[], more: object = {}): Promise<string> {
    await this.queue('sales', members, more);
    return this.line('main', { inbound_queue_ref: 'sales' });
  }

  /** A personal line of this agent. */
  async personal(owner: string, more: object = {}): Promise<string> {
    return this.line('own', {
      owner_agent_ref: owner,
      ring_timeout_seconds: SHORTEST_SECONDS,
      ...more,
    });
  }

  async agentId(ref: string): Promise<number> {
    const { agent } = await this.t.v1.ok<{ agent: { id: number } }>('GET', this.at(`/agents/${ref}`));
    return agent.id;
  }

  /** The data of a menu node whose prompt is a tone. */
  async menu(hz: number): Promise<{ audioFileId: number; timeoutSeconds: number }> {
    const audioFileId = await uploadTone(this.t.v1, { tenant: this.tenant, hz, seconds: 0.5 });
    return { audioFileId, timeoutSeconds: 60 };
  }

  /** Creates the line `menu` with this flow; the nodes `start` and `end` are added. @returns its number */
  async flow(nodes: object[], edges: object[]): Promise<string> {
    const number = await this.line('menu', {});
    await this.put('/ivr-flows/welcome', {
      name: 'Welcome',
      channel_ref: 'menu',
      structure: {
        nodes: [
          { id: 'start', type: 'ivr_start', data: {} },
          ...nodes,
          { id: 'end', type: 'ivr_hangup', data: {} },
        ],
        edges,
      },
    });
    return number;
  }

  dialIn(number: string, options: CallOptions = {}): Promise<SipCall> {
    return this.phone.call(number, this.t.sip, { from: CUSTOMER, ...options });
  }

  newestId(): Promise<number> {
    return newestCall(this.t, this.tenant).then(({ callId }) => callId);
  }

  /** The call that the phone has just placed, once it rings or waits. */
  async ringing(far: SipCall): Promise<Happened> {
    await far.rings();
    return { callId: await this.newestId(), far };
  }

  /** Creates an intent of `ada` to call the customer, who behaves as specified. */
  async intend(
    behaviour: Behaviour = { do: 'answer' },
  ): Promise<{ callId: number; taken: Promise<SipCall> }> {
    const taken = new Promise<SipCall>((resolve) =>
      customers.set(this.number, { behaviour, taken: resolve }),
    );
    await this.line('main', {});
    const { call } = await this.t.v1.ok<{ call: CallView }>('POST', this.at('/calls'), {
      channel_ref: 'main',
      agent_ref: 'ada',
      customer: { address: `+${this.number}` },
    });
    return { callId: call.callId, taken };
  }

  async terminate(callId: number): Promise<void> {
    const { status } = await this.t.v1.request('POST', `/v1/calls/${callId}/terminate`);
    assert.equal(status, 202);
  }

  /** Waits until the call's log has this entry. */
  async moved(callId: number, type: string): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      const { events } = callDetail.parse(await this.t.v1.ok('GET', `/v1/calls/${callId}`));
      if (events.some((event) => event.type === type)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`the log of call ${callId} has no ${type}`);
  }

  /**
   * Sets a stored deadline of a live call to now, so that the engine processes it like one that was reached normally. `path` is its
   * place in the call's state.
   */
  async expireDeadline(callId: number, path: string[], agoMs = 0): Promise<void> {
    const at = Date.now() - agoMs;
    const moved = await this.t.db.$executeRaw`
      update "LiveCall" set "state" = jsonb_set("state", ${path}::text[], to_jsonb(${at}::bigint)),
        "nextDeadlineAt" = now(), "version" = "version" + 1
      where "callId" = ${callId} and "state" #> ${path}::text[] is not null`;
    assert.equal(moved, 1, `call ${callId} has no deadline ${path.join('.')}`);
  }
}

/** Asserts the outcome of the row, and what holds for every ended call (lifeOf). */
export async function expectRow(
  scene: Scene,
  { ends }: Pick<Row, 'ends'>,
  { callId, far }: Happened,
): Promise<Life> {
  const { status = 'TERMINATED', reason, by, wire, answered = false, sipStatus } = ends;
  if (wire) {
    const end = await far?.ended(ENDS_WITHIN_MS);
    assert.deepEqual([end?.how, end?.status ?? null], wire, `SIP: ${far?.log.join(' ')}`);
  } else assert.equal(far, null);
  const life = await lifeOf(scene.t, callId, ENDS_WITHIN_MS);
  const { ended } = life;
  assert.deepEqual(
    [ended.status, ended.terminationReason, ended.terminatedBy],
    [status, reason, by],
    JSON.stringify(ended.failureDetails),
  );
  assert.equal(life.answered !== null, answered, 'call.answered');
  if (!answered) assert.equal(ended.durations.call, 0);
  for (const name of ['agentRef', 'channelRef', 'queueRef'] as const) {
    if (ends[name] !== undefined) assert.equal(ended[name], ends[name], name);
  }
  if (sipStatus !== undefined) assert.equal(ended.failureDetails?.sipStatus, sipStatus);
  if (status === 'FAILED') assert.ok(ended.failureDetails?.message);
  return life;
}
