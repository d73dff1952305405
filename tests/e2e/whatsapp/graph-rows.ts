/** Calls during which requests to Meta's Graph API fail: each ends once, with a reason, and Meta's error code if there is one. */
import assert from 'node:assert/strict';
import type { GraphFault } from '@clarion/meta-simulator';
import type { WhatsAppCall } from '@clarion/testkit/peers/whatsapp-customer';
import type { Happened } from '../outcomes/scene.ts';
import type { WhatsAppScene } from '../outcomes/whatsapp-scene.ts';
import { callOut, talkIn, talkOut, type Ends, type FaultRow } from './fault-row.ts';

const BY_CUSTOMER = {
  reason: 'COMPLETED',
  by: 'CUSTOMER',
  wire: ['bye-sent', null],
  answered: true,
} satisfies Ends;
const OUT = { status: 'FAILED', reason: 'PROVIDER_TRIGGER_FAILED', agentRef: 'ada' } satisfies Partial<Ends>;
const ENDED_WITHIN_MS = 20_000;

const always = (on: string, effect: object): GraphFault => ({ ...effect, on, times: null }) as GraphFault;
const once = (on: string, effect: object): GraphFault => ({ ...effect, on, times: 1 }) as GraphFault;
const ERROR_PAGE = { kind: 'http', status: 500, body: '<html>Sorry, something went wrong.</html>' };

/** The customer's phone never rings. */
async function notPlaced(scene: WhatsAppScene): Promise<Happened<WhatsAppCall>> {
  const { ada, callId } = await callOut(scene, 'ignore');
  await ada.waitFor(
    ({ event, payload }) => event === 'call:ended' && payload.call?.callId === callId,
    ENDED_WITHIN_MS,
  );
  return { callId, far: null };
}

/** The customer's phone rings although we do not know it, until the call is terminated. */
async function placedUnknown(scene: WhatsAppScene): Promise<Happened<WhatsAppCall>> {
  const { callId, taken } = await callOut(scene, 'ignore');
  return { callId, far: await taken };
}

/** The customer waits in a queue, whose agent is offline. */
async function notAccepted(scene: WhatsAppScene): Promise<Happened<WhatsAppCall>> {
  await scene.agent('ada', { shift: 'OFFLINE' });
  const far = await scene.dialIn(await scene.shared(['ada']));
  await far.ended(ENDED_WITHIN_MS);
  return { callId: await scene.newestId(), far };
}

const ACCEPT_FAILED = {
  status: 'FAILED',
  wire: ['refused', null],
  agentRef: null,
  answered: false,
} satisfies Partial<Ends>;

export const graphRows: FaultRow[] = [
  {
    how: 'connect is answered with an error page',
    graph: [always('connect', ERROR_PAGE)],
    ends: { ...OUT, by: 'PROVIDER', wire: null },
    run: notPlaced,
  },
  {
    how: 'connect is answered with an error of Meta',
    graph: [once('connect', { kind: 'error', code: 138_004 })],
    ends: { ...OUT, by: 'PROVIDER', wire: null, providerCode: 138_004 },
    run: notPlaced,
  },
  {
    how: 'connect is never answered, and not carried out',
    graph: [once('connect', { kind: 'timeout' })],
    ends: { ...OUT, by: 'SYSTEM', wire: null },
    run: notPlaced,
  },
  {
    how: 'the response to connect is cut',
    graph: [once('connect', { kind: 'malformed' })],
    ends: { ...OUT, by: 'SYSTEM', wire: ['refused', null] },
    run: placedUnknown,
  },
  {
    how: 'the response to connect is lost',
    graph: [once('connect', { kind: 'lost_response' })],
    ends: { ...OUT, by: 'SYSTEM', wire: ['refused', null] },
    run: placedUnknown,
  },
  {
    how: 'connect takes two seconds',
    graph: [once('connect', { kind: 'slow', delayMs: 2_000 })],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    async run(scene) {
      const { callId, far } = await talkOut(scene);
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'accept fails once with an error page, and is repeated',
    graph: [once('accept', ERROR_PAGE)],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    async run(scene) {
      const { callId, far } = await talkIn(scene);
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'accept takes two seconds',
    graph: [once('accept', { kind: 'slow', delayMs: 2_000 })],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    async run(scene) {
      const { callId, far } = await talkIn(scene);
      assert.notEqual(far.view.acceptedAt, null);
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'accept is refused with an error of Meta',
    graph: [always('accept', { kind: 'error', code: 131_016 })],
    ends: { ...ACCEPT_FAILED, reason: 'PROVIDER_ERROR', by: 'PROVIDER', providerCode: 131_016 },
    run: notAccepted,
  },
  {
    how: 'accept is always answered with an error page',
    graph: [always('accept', ERROR_PAGE)],
    ends: { ...ACCEPT_FAILED, reason: 'PROVIDER_ERROR', by: 'PROVIDER' },
    run: notAccepted,
  },
  {
    how: 'accept is never answered',
    graph: [once('accept', { kind: 'timeout' })],
    ends: { ...ACCEPT_FAILED, reason: 'NETWORK_ERROR', by: 'SYSTEM' },
    run: notAccepted,
  },
  {
    how: 'the response to accept is cut: Meta has accepted the call, and it is terminated',
    graph: [once('accept', { kind: 'malformed' })],
    ends: { ...ACCEPT_FAILED, wire: ['bye-received', null], reason: 'NETWORK_ERROR', by: 'SYSTEM' },
    run: notAccepted,
  },
  {
    how: 'terminate fails once with an error page, and is repeated',
    graph: [once('terminate', ERROR_PAGE)],
    ends: { reason: 'COMPLETED', by: 'AGENT', wire: ['bye-received', null], answered: true, agentRef: 'ada' },
    async run(scene) {
      const { ada, callId, far } = await talkIn(scene);
      await ada.hangUp(callId);
      return { callId, far };
    },
  },
];
