/** The integration with Clarion: provisioning, agent tokens and outbound calls. */
import { createClient, signAgentToken } from '@clarion/sdk/node';
import { company, people } from './people.js';
import { settings } from './settings.js';

const clarion = createClient({ url: settings.url, apiKey: settings.apiKey });
const tenant = { tenantRef: company.ref };

/** Provisions the account. A PUT can be repeated, so this runs on every start and stores nothing. */
export async function provision() {
  await clarion.putTenant({
    path: tenant,
    body: { name: company.name, settings: { team_view: true } },
  });
  for (const [agentRef, { name, role }] of people)
    await clarion.putAgent({ path: { ...tenant, agentRef }, body: { name, role } });

  const members = [...people.keys()].map((agent_ref) => ({ agent_ref }));
  await clarion.putQueue({ path: { ...tenant, queueRef: 'orders' }, body: { name: 'Orders', members } });

  const { trunks } = await clarion.listTrunks();
  const trunk = trunks.find(({ status }) => status === 'ACTIVE');
  if (!trunk) throw new Error('No trunk is ACTIVE yet. Ask the operator.');
  await clarion.putChannel({
    path: { ...tenant, channelRef: 'shop' },
    body: { type: 'SIP', address: settings.number, sip_trunk_id: trunk.id, inbound_queue_ref: 'orders' },
  });
  await allowOwnOrigin();
  // Lets the staff choose that calls ring while the phone is closed. Clarion generates the key and keeps it.
  await clarion.putPushCredentials({ path: { provider: 'webpush' }, body: { subject: settings.contact } });
}

/** The service worker for that. Browsers run it only from the origin of the page, so this server serves a copy. */
export async function pushWorker() {
  const response = await fetch(new URL('/embed/push-worker.js', settings.url));
  if (!response.ok) throw new Error(`Clarion returned ${response.status} for the service worker.`);
  return response.text();
}

/** Adds this origin to the origins whose pages may embed the phone, and keeps the others. */
async function allowOwnOrigin() {
  const { embedSettings } = await clarion.getEmbedSettings();
  if (embedSettings.allowedOrigins.includes(settings.ownOrigin)) return;
  await clarion.putEmbedSettings({
    body: { allowed_origins: [...embedSettings.allowedOrigins, settings.ownOrigin] },
  });
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

/** @param {{ user: string, line: string, to: string }} order */
export async function callCustomer({ user, line, to }) {
  const { call } = await clarion.createCall({
    path: tenant,
    body: { channel_ref: line, agent_ref: user, customer: { address: to } },
  });
  return call.callId;
}
