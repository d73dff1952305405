/**
 * The fixture of one row: a separate tenant, so that rows can run concurrently, with its agents, lines and queues, a customer who calls,
 * and one who can be called, both by telephone or both on WhatsApp.
 */
import assert from 'node:assert/strict';
import type { Behaviour } from '@clarion/test-phone/sip/phone';
import { type ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import type { FarCall } from '@clarion/testkit/peers/far-call';
import { WhatsAppCall } from '@clarion/testkit/peers/whatsapp-customer';
import { type TestStack } from '@clarion/testkit/stack/stack';
import { lifeOf, newestCall, type Life } from '@clarion/testkit/stack/call-centre';
import { uploadTone } from '@clarion/testkit/recordings/upload-tone';
import type { FailureCode } from '@clarion/protocol';
import { callDetail, type CallView } from '@clarion/protocol/call';
import type { CallEnd } from '@clarion/test-phone/sip/call';
import type { CallOptions } from '@clarion/test-phone/sip/phone';

/** Long enough to be recognised on a busy machine; a key ends it. */
const MENU_SECONDS = 2;
/** The minimum of the time limits of queues and lines. */
export const SHORTEST_SECONDS = 5;
/** Limit for the events of a call that ends only after a timeout. */
const ENDS_WITHIN_MS = 40_000;

export interface Happened<F extends FarCall = FarCall> {
  callId: number;
  /** The customer's end of the call; null if the call never reached the customer. */
  far: F | null;
}

export type Channel = 'SIP' | 'WHATSAPP';

export interface Row {
  how: string;
  /** Not possible on other channels; absent: the same on all. */
  only?: Channel;
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
    /** failureDetails.providerCode */
    providerCode?: number;
    /** failureDetails.reason. Read by tests/failure-catalogue.test.ts: every entry of the catalogue is produced by a test. */
    failure?: FailureCode;
  };
  run: (scene: Scene) => Promise<Happened>;
}

let scenes = 0;

export abstract class Scene<F extends FarCall = FarCall> {
  readonly t: TestStack;
  readonly tenant: string;
  /** Different for each scene. */
  protected readonly index: number;

  protected constructor(t: TestStack) {
    this.t = t;
    this.index = ++scenes;
    this.tenant = `row-${this.index}`;
  }

  /** Creates a line of the scene's channel. @returns what its customers call */
  abstract line(ref: string, body: Record<string, unknown>): Promise<string>;

  /** A customer calls. */
  abstract dialIn(number: string, options?: CallOptions): Promise<F>;

  /**
   * A customer who can be called from the line `main`, and behaves as specified. `taken`: the call once it reaches the customer.
   */
  protected abstract customer(main: string, behaviour: Behaviour): { address: string; taken: Promise<F> };

  protected create(): Promise<void> {
    return this.t.v1.ok('PUT', this.at(''), { name: this.tenant });
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
    const audioFileId = await uploadTone(this.t.v1, { tenant: this.tenant, hz, seconds: MENU_SECONDS });
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

  newestId(): Promise<number> {
    return newestCall(this.t, this.tenant).then(({ callId }) => callId);
  }

  /** The call that the customer has just placed, once it rings or waits. */
  async ringing(far: F): Promise<Happened<F>> {
    await far.rings();
    return { callId: await this.newestId(), far };
  }

  /** Creates an intent of `ada` to call the customer, who behaves as specified. */
  async intend(behaviour: Behaviour = { do: 'answer' }): Promise<{ callId: number; taken: Promise<F> }> {
    const { address, taken } = this.customer(await this.line('main', {}), behaviour);
    taken.catch(() => undefined); // of a call that never reaches the customer
    const { call } = await this.t.v1.ok<{ call: CallView }>('POST', this.at('/calls'), {
      channel_ref: 'main',
      agent_ref: 'ada',
      customer: { address },
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

const sideOf = (how: CallEnd['how']): 'customer' | 'service' | 'nobody' => {
  if (how === 'bye-sent' || how === 'cancelled') return 'customer';
  return how === 'unanswered' ? 'nobody' : 'service';
};

/** Asserts the outcome of the row, and what holds for every ended call (lifeOf). */
export async function expectRow(
  scene: Scene,
  { ends }: Pick<Row, 'ends'>,
  { callId, far }: Happened,
): Promise<Life> {
  const {
    status = 'TERMINATED',
    reason,
    by,
    wire,
    answered = false,
    sipStatus,
    providerCode,
    failure,
  } = ends;
  if (wire) {
    const end = await far?.ended(ENDS_WITHIN_MS);
    const log = `on the wire: ${far?.log.join(' ')}`;
    if (far instanceof WhatsAppCall) {
      far.assertProtocol();
      // WhatsApp does not say how a call was ended, and a queue answers at once, so that ends before the agent's answer differ.
      assert.equal(end && sideOf(end.how), sideOf(wire[0]), log);
    } else assert.deepEqual([end?.how, end?.status ?? null], wire, log);
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
  if (providerCode !== undefined) assert.equal(ended.failureDetails?.providerCode, providerCode);
  if (failure !== undefined) assert.equal(ended.failureDetails?.reason, failure);
  const notConnected =
    ended.direction === 'OUTBOUND' && !answered && (by === 'CUSTOMER' || by === 'PROVIDER');
  if (status === 'FAILED' || notConnected) {
    assert.ok(ended.failureDetails?.message);
    assert.ok(ended.failureDetails.reason);
  }
  return life;
}
