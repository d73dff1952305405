/** The states of own trunks, each move in each state, self-service, and concurrent moves. */
import { endCallsOfTrunk } from '@clarion/core/call/end-calls-of-trunk';
import { createTrunk } from '@clarion/core/trunk/create-trunk';
import { moveTrunk } from '@clarion/core/trunk/trunk-moves';
import type { TrunkMove } from '@clarion/core/trunk/trunk-moves';
import type { TrunkStatus } from '@clarion/db';
import type { ErrorCode } from '@clarion/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchedSession, staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Answer, Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

let web: Web;
let key: string;
let count = 0;

beforeAll(async () => {
  web = await startWeb();
  web.runtime.settings.resolve = async () => ['198.41.0.4'];
  key = (await createTenantFixture(web, 'acme')).key;
});
afterAll(() => web.stop());
beforeEach(async () => {
  await web.changeConsumer('acme', { selfService: 'APPROVAL', planTrunks: 1_000 });
});

const statuses = ['DRAFT', 'PENDING', 'ACTIVE', 'DISABLED', 'SUSPENDED'] as const;

/** An own trunk in this state. */
async function trunkIn(status: TrunkStatus, more: { inboundSourceCidrs?: string[] } = {}): Promise<number> {
  const { id: consumerId } = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  count += 1;
  const { id } = await web.runtime.db.sipTrunk.create({
    data: {
      consumerId,
      name: `trunk-${count}`,
      ingressLabel: `label-${count}`,
      host: 'sip.carrier.example',
      status,
      inboundSourceCidrs: [`198.41.1.${count}`],
      ...more,
    },
  });
  return id;
}
const statusOf = async (id: number) =>
  (await web.runtime.db.sipTrunk.findUnique({ where: { id } }))?.status ?? null;
const eventsOf = (id: number) =>
  web.runtime.db.event.count({
    where: { type: 'sip_trunk.status_changed', body: { contains: `"id":${id},` } },
  });

const moves = {
  submit: (trunkId: number) => call('submitTrunk', { key, path: { trunkId } }),
  activate: (trunkId: number) =>
    call('setTrunkStatus', { key, path: { trunkId }, body: { status: 'ACTIVE' } }),
  disable: (trunkId: number) =>
    call('setTrunkStatus', { key, path: { trunkId }, body: { status: 'disabled' } }),
  put: (trunkId: number) =>
    call('putTrunk', {
      key,
      path: { trunkId },
      body: { host: 'sip.carrier.example', inbound_source_cidrs: '198.41.2.2' },
    }),
  delete: (trunkId: number) => call('deleteTrunk', { key, path: { trunkId } }),
};
type Move = keyof typeof moves;

/** The new status, or the error. Whatever is not listed is 409 invalid_state. */
const table: Record<Move, Partial<Record<TrunkStatus, TrunkStatus | ErrorCode | null>>> = {
  submit: { DRAFT: 'PENDING' },
  activate: { DISABLED: 'ACTIVE' },
  disable: { ACTIVE: 'DISABLED' },
  put: {
    DRAFT: 'DRAFT',
    PENDING: 'PENDING',
    ACTIVE: 'ACTIVE',
    DISABLED: 'DISABLED',
    SUSPENDED: 'suspended',
  },
  delete: { DRAFT: null, PENDING: null, ACTIVE: null, DISABLED: null, SUSPENDED: 'suspended' },
};
const isStatus = (value: string): value is TrunkStatus => statuses.some((status) => status === value);

const cases = Object.keys(moves)
  .filter((move): move is Move => move in moves)
  .flatMap((move) => statuses.map((status) => [move, status] as const));
test.each(cases)('%s of a trunk that is %s', async (move, status) => {
  const id = await trunkIn(status);
  const answer: Answer<'submitTrunk' | 'setTrunkStatus' | 'putTrunk' | 'deleteTrunk'> = await moves[move](id);
  const outcome = status in table[move] ? table[move][status] : 'invalid_state';
  if (outcome === null || outcome === undefined) {
    expect(answer.status).toBe(204);
    expect(await statusOf(id)).toBeNull();
  } else if (isStatus(outcome)) {
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ trunk: { id, status: outcome } });
    expect(await statusOf(id)).toBe(outcome);
  } else {
    expectError(answer, 409, outcome);
    expect(await statusOf(id)).toBe(status);
  }
  // The operator decided nothing.
  expect(await eventsOf(id)).toBe(0);
});

const operatorMoves: [TrunkMove, TrunkStatus, TrunkStatus][] = [
  ['approve', 'PENDING', 'ACTIVE'],
  ['reject', 'PENDING', 'DRAFT'],
  ['suspend', 'DRAFT', 'SUSPENDED'],
  ['suspend', 'PENDING', 'SUSPENDED'],
  ['suspend', 'ACTIVE', 'SUSPENDED'],
  ['suspend', 'DISABLED', 'SUSPENDED'],
  ['lift', 'SUSPENDED', 'DISABLED'],
];
test.each(operatorMoves)("the operator's %s of a trunk that is %s is an event", async (move, from, to) => {
  const id = await trunkIn(from);
  await moveTrunk(web.operator, id, move, 'because');
  expect((await call('getTrunk', { key, path: { trunkId: id } })).json.trunk).toMatchObject({
    status: to,
    reviewNote: 'because',
  });
  expect(await eventsOf(id)).toBe(1);
});

describe('a submission', () => {
  test('needs an address', async () => {
    const id = await trunkIn('DRAFT', { inboundSourceCidrs: [] });
    expectError(await moves.submit(id), 409, 'no_addresses');
    // The state is what counts first.
    const active = await trunkIn('ACTIVE', { inboundSourceCidrs: [] });
    expectError(await moves.submit(active), 409, 'invalid_state');
    const off = await trunkIn('DISABLED', { inboundSourceCidrs: [] });
    expectError(await moves.activate(off), 409, 'no_addresses');
  });

  test('sets submittedAt and awaits a new review', async () => {
    const now = new Date('2026-02-01T10:00:00.000Z');
    web.setNow(now);
    try {
      const id = await trunkIn('DRAFT');
      await moves.submit(id);
      await moveTrunk(web.operator, id, 'reject', 'Which addresses?');
      const rejected = (await call('getTrunk', { key, path: { trunkId: id } })).json.trunk;
      expect(rejected).toMatchObject({
        status: 'DRAFT',
        reviewNote: 'Which addresses?',
        reviewedAt: now.toISOString(),
      });
      expect((await moves.submit(id)).json.trunk).toMatchObject({
        status: 'PENDING',
        submittedAt: now.toISOString(),
        reviewNote: null,
        reviewedAt: null,
      });
    } finally {
      web.setNow(null);
    }
  });

  test('is ACTIVE immediately under AUTO, without a review and without an event', async () => {
    await web.changeConsumer('acme', { selfService: 'AUTO' });
    const id = await trunkIn('DRAFT');
    const { trunk } = (await moves.submit(id)).json;
    expect(trunk).toMatchObject({ status: 'ACTIVE', reviewedAt: null, ingressHostOnly: false });
    expect(trunk).not.toMatchObject({ submittedAt: null });
    expect(await eventsOf(id)).toBe(0);
  });

  test('under AUTO cannot take the calls of another owner with the same addresses', async () => {
    await web.changeConsumer('acme', { selfService: 'AUTO' });
    await web.runtime.db.sipTrunk.create({
      data: {
        name: 'first',
        ingressLabel: 'first',
        host: 'h.example',
        status: 'ACTIVE',
        inboundSourceCidrs: ['198.41.77.0/24'],
      },
    });
    const id = await trunkIn('DRAFT', { inboundSourceCidrs: ['198.41.77.7'] });
    expect((await moves.submit(id)).json.trunk).toMatchObject({ status: 'ACTIVE', ingressHostOnly: true });
    // Nor by turning a trunk off and on again.
    await web.runtime.db.sipTrunk.update({ where: { id }, data: { ingressHostOnly: false } });
    await moves.disable(id);
    expect((await moves.activate(id)).json.trunk).toMatchObject({ status: 'ACTIVE', ingressHostOnly: true });
    const { settings } = web.runtime;
    const { ingressDomain } = settings;
    settings.ingressDomain = null;
    try {
      await moves.disable(id);
      expectError(await moves.activate(id), 409, 'invalid_state');
      expect(await statusOf(id)).toBe('DISABLED');
    } finally {
      settings.ingressDomain = ingressDomain;
    }
  });

  test('under AUTO cannot take the addresses of a trunk that its owner has turned off', async () => {
    await web.changeConsumer('acme', { selfService: 'AUTO' });
    const theirs = await web.runtime.db.sipTrunk.create({
      data: {
        name: 'paused',
        ingressLabel: 'paused',
        host: 'h.example',
        status: 'DISABLED',
        inboundSourceCidrs: ['198.41.78.0/24'],
      },
    });
    const id = await trunkIn('DRAFT', { inboundSourceCidrs: ['198.41.78.8'] });
    expect((await moves.submit(id)).json.trunk).toMatchObject({ ingressHostOnly: true });
    expect(await moveTrunk(web.operator, theirs.id, 'approve', null)).toMatchObject({
      ingressHostOnly: false,
    });
  });

  test('sent twice at the same time counts once', async () => {
    const id = await trunkIn('DRAFT');
    const answers = await Promise.all([moves.submit(id), moves.submit(id), moves.submit(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(
      await web.runtime.db.auditEntry.count({ where: { action: 'trunk.submit', target: String(id) } }),
    ).toBe(1);
  });
});

test('a PUT that adds addresses of another owner leaves the trunk reachable by its ingress host only', async () => {
  await web.consumer('other');
  const theirs = await createTrunk(web.operator, {
    slug: 'other',
    name: 'theirs',
    host: 'h.example',
    port: 5060,
    transport: 'UDP',
    inboundSourceCidrs: ['198.41.0.4'],
    ingressLabel: null,
    numberRules: null,
    quirks: {},
    credentials: null,
  });
  await moveTrunk(web.operator, theirs.id, 'approve', null);
  const id = await trunkIn('DRAFT', { inboundSourceCidrs: ['198.41.9.9'] });
  await moves.submit(id);
  await moveTrunk(web.operator, id, 'approve', null);
  const get = async () => (await call('getTrunk', { key, path: { trunkId: id } })).json.trunk;
  const putSource = (source: string) =>
    call('putTrunk', {
      key,
      path: { trunkId: id },
      body: { host: 'sip.carrier.example', inbound_source_cidrs: source },
    });
  expect(await get()).toMatchObject({ ingressHostOnly: false });
  expect((await putSource('198.41.0.4')).json.trunk).toMatchObject({
    status: 'ACTIVE',
    ingressHostOnly: true,
  });
  // Its own addresses again.
  expect((await putSource('198.41.9.9')).json.trunk).toMatchObject({ ingressHostOnly: false });
  const { settings } = web.runtime;
  const { ingressDomain } = settings;
  settings.ingressDomain = null;
  try {
    expectError(await putSource('198.41.0.4'), 400, 'invalid_request', 'inbound_source_cidrs');
    expect(await get()).toMatchObject({ inboundSourceCidrs: ['198.41.9.9'], ingressHost: null });
  } finally {
    settings.ingressDomain = ingressDomain;
  }
});

describe('self-service OFF', () => {
  test('rejects every change before the trunk is looked for, and reading continues', async () => {
    const id = await trunkIn('PENDING');
    await web.changeConsumer('acme', { selfService: 'OFF' });
    for (const trunkId of [id, 999_999]) {
      for (const move of Object.values(moves)) expectError(await move(trunkId), 403, 'self_service_off');
    }
    const body = { name: 'new', host: 'sip.carrier.example' };
    expectError(await call('createTrunk', { key, body }), 403, 'self_service_off');
    const list = (await call('listTrunks', { key })).json;
    expect(list.selfService).toBe('OFF');
    expect(list.trunks.find((trunk) => trunk.id === id)).toMatchObject({ status: 'PENDING' });
    expect((await call('getTrunk', { key, path: { trunkId: id } })).status).toBe(200);
  });
});

describe('deletion', () => {
  const line = (channelRef: string, body: Record<string, unknown>) =>
    call('putChannel', {
      key,
      path: { tenantRef: 'shop', channelRef },
      body: { type: 'SIP', ...body },
    });

  test('is refused while lines use the trunk, also as their second trunk', async () => {
    const first = await trunkIn('ACTIVE');
    const second = await trunkIn('ACTIVE');
    await line('uses', { address: '+442071838601', sip_trunk_id: first, backup_sip_trunk_id: second });
    for (const id of [first, second]) {
      const answer = await moves.delete(id);
      expect([answer.status, answer.error?.code, answer.error?.details]).toEqual([
        409,
        'in_use',
        { usedBy: ['channel:shop/uses'] },
      ]);
    }
    await call('deleteChannel', { key, path: { tenantRef: 'shop', channelRef: 'uses' } });
    for (const id of [first, second]) expect((await moves.delete(id)).status).toBe(204);
  });

  test('and a new line at the same time: one of them is refused, and no line is left without its trunk', async () => {
    for (const field of ['sip_trunk_id', 'backup_sip_trunk_id'] as const) {
      for (let round = 0; round < 10; round += 1) {
        const [id, other] = [await trunkIn('ACTIVE'), await trunkIn('ACTIVE')];
        const trunks = field === 'sip_trunk_id' ? {} : { sip_trunk_id: other };
        const body = { address: '+442071838602', ...trunks, [field]: id };
        const [saved, deleted] = await Promise.all([line('race', body), moves.delete(id)]);
        if (deleted.status === 204) {
          expectError(saved, 400, 'invalid_request', field);
        } else {
          expectError(deleted, 409, 'in_use');
          expect(saved.status).toBe(200);
        }
        await call('deleteChannel', { key, path: { tenantRef: 'shop', channelRef: 'race' } });
      }
    }
  });

  test('removes the released numbers of the trunk', async () => {
    const id = await trunkIn('ACTIVE');
    await line('gone', { address: '+442071838603', sip_trunk_id: id });
    await call('deleteChannel', { key, path: { tenantRef: 'shop', channelRef: 'gone' } });
    const released = async () =>
      (await call('listNumbers', { key, query: 'status=RELEASED' })).json.numbers.filter(
        ({ sipTrunkId }) => sipTrunkId === id,
      );
    expect(await released()).toHaveLength(1);
    await moves.delete(id);
    expect(await released()).toEqual([]);
  });
});

/** An outbound call that has begun, on a line of this trunk. */
async function callOn(trunkId: number, agentRef: string): Promise<number> {
  const path = { tenantRef: 'shop' };
  const channelRef = `on-${trunkId}`;
  const body = { type: 'SIP', address: '+442071838604', sip_trunk_id: trunkId };
  await call('putChannel', { key, path: { ...path, channelRef }, body });
  const customer = { address: '+442079460123' };
  const created = await call('createCall', {
    key,
    path,
    body: { channel_ref: channelRef, agent_ref: agentRef, customer },
  });
  return created.json.call.callId;
}

test('calls continue when their trunk is suspended, unless the operator ends them', async () => {
  const [id, other] = [await trunkIn('ACTIVE'), await trunkIn('ACTIVE')];
  const callId = await callOn(id, 'ada');
  const elsewhere = await callOn(other, 'ben');
  const outcome = async (each: number) =>
    (await call('getCall', { key, path: { callId: each } })).json.call.terminationReason;
  await moveTrunk(web.operator, id, 'suspend', null);
  expect(await outcome(callId)).toBeNull();
  expect(await endCallsOfTrunk(web.operator, id)).toBe(1);
  expect(await outcome(callId)).toBe('CANCELLED');
  expect(await outcome(elsewhere)).toBeNull();
  expect(await endCallsOfTrunk(web.operator, id)).toBe(0);
  const { entries } = (await call('listAuditLog', { key, query: 'action=call.terminate' })).json;
  expect(entries.map(({ target, actor }) => [target, actor.kind])).toEqual([[String(callId), 'operator']]);
});

test('deletion is refused while a call runs over the trunk, whose usage names the owner', async () => {
  const id = await trunkIn('ACTIVE');
  const callId = await callOn(id, 'ada');
  await call('deleteChannel', { key, path: { tenantRef: 'shop', channelRef: `on-${id}` } });
  const refused = await moves.delete(id);
  expectError(refused, 409, 'in_use');
  expect(refused.error?.details).toEqual({ usedBy: [`call:${callId}`] });
  await endCallsOfTrunk(web.operator, id);
  expect((await moves.delete(id)).status).toBe(204);
});

test('owners and admins may change trunks; supervisors and launched people may not', async () => {
  const body = { name: 'by-role', host: 'sip.carrier.example' };
  const id = await trunkIn('DRAFT');
  for (const who of [
    await staffSession(web, 'acme', 'SUPERVISOR'),
    await launchedSession(web, 'acme', 'shop', 'ADMIN'),
  ]) {
    expectError(await call('createTrunk', { ...who, body }), 403, 'forbidden');
    expectError(await call('submitTrunk', { ...who, path: { trunkId: id } }), 403, 'forbidden');
  }
  const admin = await staffSession(web, 'acme', 'ADMIN');
  expect((await call('createTrunk', { ...admin, body })).status).toBe(201);
  expect((await call('submitTrunk', { ...admin, path: { trunkId: id } })).status).toBe(200);
});
