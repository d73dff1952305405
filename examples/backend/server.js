/** A small backend: `/` lists and places calls, `/token` returns the agent token, `/webhooks/clarion` receives events. */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createWebhookHandler, isApiError } from '@clarion/sdk/node';
import { addEarlierCalls, calls, storeEvent } from './call-store.js';
import { callCustomer, lastCalls, provision, registerWebhook, tokenFor } from './clarion.js';
import { page } from './page.js';
import { people } from './people.js';
import { settings } from './settings.js';

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */

await provision();
addEarlierCalls(await lastCalls(20));
const webhook = createWebhookHandler({
  secret: await registerWebhook(),
  onEvent: storeEvent,
  onError: (error) => console.error('webhook:', error),
});
const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(500).end('An unexpected error occurred.');
  });
});
server.listen(settings.port, () => {
  console.log(`Open http://127.0.0.1:${settings.port}. Customers call ${settings.number}.`);
});

/** @param {Request} request @param {Response} response */
async function answer(request, response) {
  const { pathname } = new URL(request.url ?? '/', settings.ownUrl);
  const user = userOf(request);
  switch (`${request.method} ${pathname}`) {
    case 'POST /webhooks/clarion':
      return webhook.node(request, response);
    case 'POST /login':
      return logIn(request, response);
    case 'GET /':
      return html(response, page({ user, people, calls: calls(), orderId: randomUUID() }));
    case 'GET /token':
      if (!user) return json(response, 401, { error: 'Log in first.' });
      return json(response, 200, { token: await tokenFor(user) });
    case 'POST /calls':
      if (!user) return json(response, 401, { error: 'Log in first.' });
      return placeCall(user, request, response);
    default:
      return json(response, 404, { error: 'Page not found.' });
  }
}

/** @param {string} user @param {Request} request @param {Response} response */
async function placeCall(user, request, response) {
  const form = new URLSearchParams(await text(request));
  const [to, orderId] = [form.get('to') ?? '', form.get('order_id') ?? ''];
  if (!/^[\w-]{1,100}$/.test(orderId)) return json(response, 400, { error: 'order_id is missing.' });
  try {
    const { callId } = await callCustomer({ user, to, orderId });
    // The agent's app starts it within 2 minutes: agent.startOutbound(callId).
    if (request.headers.accept?.includes('text/html')) response.writeHead(303, { Location: '/' }).end();
    else json(response, 201, { callId });
  } catch (error) {
    if (isApiError(error, 'invalid_customer', 'invalid_request'))
      return json(response, 400, { error: error.message });
    if (isApiError(error, 'agent_busy')) return json(response, 409, { error: 'You are already on a call.' });
    throw error;
  }
}

// The login of the example does not ask for a password. Use your own login.

const sessionKey = randomBytes(32);
/** @param {string} user */
const signed = (user) => `${user}.${createHmac('sha256', sessionKey).update(user).digest('hex')}`;

/** @param {Request} request @param {Response} response */
async function logIn(request, response) {
  const user = new URLSearchParams(await text(request)).get('user') ?? '';
  if (!people.has(user)) return json(response, 401, { error: 'Unknown user.' });
  const cookie = `session=${signed(user)}; HttpOnly; SameSite=Strict; Path=/`;
  response.writeHead(303, { Location: '/', 'Set-Cookie': cookie }).end();
}

/** Who is logged in, or null. @param {Request} request */
function userOf(request) {
  const session = /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const user = session.slice(0, session.lastIndexOf('.'));
  const expected = Buffer.from(signed(user));
  const given = Buffer.from(session);
  return given.length === expected.length && timingSafeEqual(given, expected) ? user : null;
}

/** @param {Response} response @param {number} status @param {unknown} body */
function json(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

/** @param {Response} response @param {string} body */
function html(response, body) {
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(body);
}
