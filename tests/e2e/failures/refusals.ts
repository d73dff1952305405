/**
 * INVITEs that the service rejects, one per code of the failure catalogue that a carrier or a caller can cause on the wire. Each scene has
 * an account and a source address of its own, so that the trunk on which the refusal is stored is certain.
 */
import assert from 'node:assert/strict';
import type { FailureCode } from '@clarion/protocol';
import type { CallOptions, SipPhone } from '@clarion/test-phone/sip/phone';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { newNumber, openCallCentre } from '@clarion/testkit/stack/call-centre';
import type { Account, TestStack } from '@clarion/testkit/stack/stack';

const TENANT = 'shop';
let scenes = 0;

/** An account whose trunk has one source address, and the phone of its carrier at that address. */
export class RefusalScene {
  readonly t: TestStack;
  readonly source: string;
  readonly account: Account;
  readonly phone: SipPhone;
  /** The number of a line with a queue. */
  readonly main: string;

  private constructor(t: TestStack, at: Pick<RefusalScene, 'source' | 'account' | 'phone' | 'main'>) {
    this.t = t;
    this.source = at.source;
    this.account = at.account;
    this.phone = at.phone;
    this.main = at.main;
  }

  static async open(t: TestStack): Promise<RefusalScene> {
    scenes += 1;
    const source = `127.0.15.${scenes}`;
    const phone = await t.phone({ address: source });
    const account = await t.createAccount(`refused-${scenes}`, phone);
    const { main } = await openCallCentre(t, { account, tenant: TENANT });
    return new RefusalScene(t, { source, account, phone, main });
  }

  /** What only the operator, or another part of the service, changes. */
  async changeTrunk(data: Parameters<TestStack['db']['sipTrunk']['update']>[0]['data']): Promise<void> {
    await this.t.db.sipTrunk.update({ where: { id: this.account.trunkId }, data });
  }

  /** Calls with the tech prefix 88# go to this trunk. */
  async forwardTo(trunkId: number): Promise<void> {
    await this.changeTrunk({ techPrefixes: { inbound: [{ prefix: '88#', purpose: 'FORWARD' }] } });
    const rule = ['--trunk-id', String(this.account.trunkId), '--to-trunk-id', String(trunkId)];
    await this.t.clarion(['forward', 'create', ...rule]);
  }

  put(path: string, body: object): Promise<unknown> {
    return this.account.v1.ok('PUT', `/v1/tenants/${TENANT}${path}`, body);
  }

  /** @returns the number of a line */
  async line(ref: string, body: object): Promise<string> {
    const address = newNumber();
    const sip_trunk_id = this.account.trunkId;
    await this.put(`/channels/${ref}`, { type: 'SIP', address, sip_trunk_id, ...body });
    return address;
  }

  call(number = this.main, options: CallOptions = {}): Promise<SipCall> {
    return this.phone.call(number, this.t.sip, options);
  }
}

export interface RefusalRow {
  /** How the carrier sees it. */
  status: number;
  /** Not stored for a trunk: no trunk is concerned. */
  withoutTrunk?: boolean;
  place: (scene: RefusalScene) => Promise<SipCall>;
}

const withSdp = (change: (sdp: string) => string) => (scene: RefusalScene) =>
  scene.call(scene.main, { sdp: (call) => change(call.sdp()) });

export const refusalRows = {
  source_unknown: {
    status: 403,
    withoutTrunk: true,
    place: async ({ t, main }) => (await t.phone({ address: '127.0.15.250' })).call(main, t.sip),
  },
  trunk_not_active: {
    status: 403,
    async place(scene) {
      await scene.changeTrunk({ status: 'PENDING' });
      return scene.call();
    },
  },
  ingress_host_required: {
    status: 403,
    async place(scene) {
      await scene.changeTrunk({ ingressHostOnly: true });
      return scene.call();
    },
  },
  number_ambiguous: {
    status: 404,
    async place(scene) {
      const other = await RefusalScene.open(scene.t);
      await other.put('/channels/same', {
        ...{ type: 'SIP', address: scene.main, sip_trunk_id: other.account.trunkId },
        inbound_queue_ref: 'sales',
      });
      // Afterwards, because the API refuses a number that another account has on trunks with the same sources.
      await other.changeTrunk({ inboundSourceCidrs: [scene.source] });
      return scene.call();
    },
  },
  number_without_line: { status: 404, place: (scene) => scene.call(newNumber()) },
  called_number_invalid: { status: 404, place: (scene) => scene.call('operator') },
  tech_prefix_without_number: {
    status: 404,
    async place(scene) {
      await scene.changeTrunk({ techPrefixes: { inbound: [{ prefix: '77#', purpose: 'PROCESS' }] } });
      return scene.call('77%23');
    },
  },
  tech_prefix_without_rule: {
    status: 404,
    async place(scene) {
      await scene.changeTrunk({ techPrefixes: { inbound: [{ prefix: '88#', purpose: 'FORWARD' }] } });
      return scene.call('88%231234');
    },
  },
  call_filter: {
    status: 603,
    async place(scene) {
      await scene.changeTrunk({ techPrefixes: { inbound: [{ prefix: '88#', purpose: 'FILTER' }] } });
      const trunk = String(scene.account.trunkId);
      await scene.t.clarion(['filter', 'create', '--trunk-id', trunk, '--action', 'reject']);
      return scene.call('88%231234');
    },
  },
  forwarding_trunk_not_active: {
    status: 404,
    async place(scene) {
      const { id } = await scene.t.clarion<{ id: number }>([
        ...['trunk', 'create', '--name', `inactive-${scene.source}`],
        ...['--host', scene.source, '--source', scene.source],
      ]);
      await scene.forwardTo(id);
      return scene.call('88%231234');
    },
  },
  too_many_hops: {
    status: 483,
    async place(scene) {
      await scene.forwardTo(scene.account.trunkId);
      return scene.call('88%231234', { headers: [['Max-Forwards', '0']] });
    },
  },
  account_suspended: {
    status: 403,
    async place(scene) {
      await scene.t.clarion(['consumer', 'suspend', '--slug', scene.account.slug]);
      return scene.call();
    },
  },
  concurrent_call_limit: {
    status: 503,
    async place(scene) {
      await scene.t.clarion(['plan', 'set', '--slug', scene.account.slug, '--calls-at-once', '1']);
      const first = await scene.call();
      await first.rings();
      return scene.call();
    },
  },
  no_credit: {
    status: 503,
    async place(scene) {
      const { v1 } = scene.account;
      const { plan } = await v1.ok<{ plan: { id: number } }>('POST', '/v1/price-plans', {
        name: 'calls',
        items: [{ kind: 'CALL', method: 'FLAT', flat_rate: '0.02', direction: 'INBOUND' }],
      });
      await scene.put('/price-plan', { price_plan_id: plan.id });
      await scene.put('/billing-account', { mode: 'PREPAID' });
      return scene.call();
    },
  },
  invite_malformed: { status: 400, place: withSdp(() => 'this is not SDP\r\n') },
  no_common_codec: {
    status: 488,
    place: withSdp((sdp) =>
      sdp.replace(/^m=audio (\d+) .*$/m, 'm=audio $1 RTP/AVP 18\r').replaceAll(/^a=rtpmap:.*\r\n/gm, ''),
    ),
  },
  address_family: {
    status: 488,
    place: withSdp((sdp) => sdp.replaceAll(/IN IP4 \S+/g, 'IN IP6 2001:db8::1')),
  },
  line_disabled: {
    status: 480,
    place: async (scene) =>
      scene.call(await scene.line('closed', { inbound_queue_ref: 'sales', status: 'DISABLED' })),
  },
  line_without_route: { status: 603, place: async (scene) => scene.call(await scene.line('bare', {})) },
  owner_unavailable: {
    status: 480,
    async place(scene) {
      await scene.put('/agents/bob', { name: 'bob' });
      return scene.call(await scene.line('own', { owner_agent_ref: 'bob' }));
    },
  },
  owner_busy: {
    status: 486,
    async place(scene) {
      const { t, account } = scene;
      const ada = await t.agent('ada', { tenant: TENANT, account });
      const own = await scene.line('own', { owner_agent_ref: 'ada' });
      const first = await scene.call(own);
      const { callId } = await ada.incoming();
      await ada.accept(callId);
      await first.answered();
      return scene.call(own);
    },
  },
} as const satisfies Partial<Record<FailureCode, RefusalRow>>;

export type RefusedCode = keyof typeof refusalRows;

export interface StoredRefusal {
  trunkId: number | null;
  status: number;
  source: string;
  code: string | null;
  reason: string;
}

const STORED_WITHIN_MS = 10_000;
const POLL_MS = 50;

/** The newest refusal from this source on the trunk, once it is stored: the response does not wait for it. */
export async function storedRefusal(
  t: TestStack,
  source: string,
  trunkId: number | null,
): Promise<StoredRefusal> {
  const deadline = Date.now() + STORED_WITHIN_MS;
  for (;;) {
    const row = await t.db.sipRefusal.findFirst({ where: { source, trunkId }, orderBy: { id: 'desc' } });
    if (row) return row;
    assert.ok(Date.now() < deadline, `no refusal of ${source} was stored`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
