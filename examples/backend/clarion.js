/** The integration with Clarion: provisioning, the webhook, agent tokens and outbound calls. */
import { readFile, writeFile } from 'node:fs/promises';
import { createClient, signAgentToken } from '@clarion/sdk/node';
import { company, people } from './people.js';
import { settings } from './settings.js';

const clarion = createClient({ url: settings.url, apiKey: settings.apiKey });
const tenant = { tenantRef: company.ref };

/** Provisions the account. A PUT can be repeated, so this runs on every start and stores nothing. */
export async function provision() {
  await clarion.putTenant({ path: tenant, body: { name: company.name } });
  for (const [agentRef, { name, role }] of people)
    await clarion.putAgent({ path: { ...tenant, agentRef }, body: { name, role } });

  const members = [...people.keys()].map((agent_ref) => ({ agent_ref }));
  await clarion.putQueue({ path: { ...tenant, queueRef: 'orders' }, body: { name: 'Orders', members } });

  const { trunks } = await clarion.listTrunks();
  const trunk = trunks.find(({ status }) => status === 'ACTIVE');
  if (!trunk) throw new Error('No trunk is ACTIVE yet. Ask the operator.');
  await clarion.putChannel({
    path: { ...tenant, channelRef: 'main' },
    body: { type: 'SIP', address: settings.number, sip_trunk_id: trunk.id, inbound_queue_ref: 'orders' },
  });
}

/** Registers the webhook. @returns {Promise<string>} the secret that signs its events */
export async function registerWebhook() {
  const webhook = await clarion.putWebhook({ body: { url: `${settings.ownUrl}/webhooks/clarion` } });
  const known = webhook.secret ?? (await readSecret());
  // The secret is shown only once. If it was lost, create a new one.
  const secret = known ?? (await clarion.rotateWebhookSecret()).secret;
  await writeFile(settings.secretFile, JSON.stringify({ secret }), { mode: 0o600 });
  return secret;
}

/** @returns {Promise<string | undefined>} */
async function readSecret() {
  try {
    return JSON.parse(await readFile(settings.secretFile, 'utf8')).secret;
  } catch {
    return undefined;
  }
}

/**
 * Signs a token for the agent of the logged-in user, never for an agent named in the request.
 * @param {string} user
 */
export function tokenFor(user) {
  const person = people.get(user);
  if (!person) throw new Error(`There is no ${user}.`);
  return signAgentToken(settings.signer, { tenantRef: company.ref, agentRef: user, ...person });
}

/**
 * @param {{ user: string, to: string, orderId: string }} order with the same `orderId`, the customer is called only once
 */
export async function callCustomer({ user, to, orderId }) {
  const { call } = await clarion.createCall({
    path: tenant,
    body: { channel_ref: 'main', agent_ref: user, customer: { address: to }, external_ref: orderId },
    idempotencyKey: `order-${orderId}`,
  });
  return call;
}

/** The latest calls, newest first. @param {number} count */
export async function lastCalls(count) {
  const { calls } = await clarion.listCalls({ path: tenant, query: { limit: count } });
  return calls;
}
