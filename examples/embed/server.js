/** A small product on its own origin: it logs users in, returns tokens for the phone and creates outbound calls. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json as readJson, text } from 'node:stream/consumers';
import { isApiError } from '@clarion/sdk/node';
import { callCustomer, provision, pushWorker, tokenFor } from './clarion.js';
import { contentSecurityPolicy, elementPage, framePage, homePage, loginPage } from './pages.js';
import { people } from './people.js';
import { settings } from './settings.js';

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */

/** @type {Record<string, string>} */
const files = { '/style.css': 'text/css', '/element.js': 'text/javascript', '/frame.js': 'text/javascript' };

await provision();
const workerScript = await pushWorker();
const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(500).end('An unexpected error occurred.');
  });
});
server.listen(settings.port, () => {
  console.log(`Open ${settings.ownOrigin}. Customers call ${settings.number}.`);
});

/** @param {Request} request @param {Response} response */
async function answer(request, response) {
  const { pathname } = new URL(request.url ?? '/', settings.ownOrigin);
  const user = userOf(request);
  const type = files[pathname];
  if (type) {
    response.writeHead(200, { 'Content-Type': type });
    return response.end(await readFile(new URL(`public${pathname}`, import.meta.url)));
  }
  switch (`${request.method} ${pathname}`) {
    case 'POST /login':
      return logIn(request, response);
    case 'GET /':
      return html(response, user ? homePage(people.get(user)?.name ?? user) : loginPage(people));
    case 'GET /element':
      return html(response, user ? elementPage() : loginPage(people));
    case 'GET /frame':
      return html(response, user ? framePage() : loginPage(people));
    case 'GET /push/worker.js':
      return response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(workerScript);
    case 'GET /favicon.ico':
      return response.writeHead(204).end();
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
  // Accept only JSON: a form on another site cannot send it.
  if (request.headers['content-type'] !== 'application/json')
    return json(response, 415, { error: 'The request body must be JSON.' });
  const { line, to } = /** @type {{ line: string, to: string }} */ (await readJson(request));
  try {
    return json(response, 201, { callId: await callCustomer({ user, line, to }) });
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
  const cookie = `embed-session=${signed(user)}; HttpOnly; SameSite=Strict; Path=/`;
  response.writeHead(303, { Location: '/', 'Set-Cookie': cookie }).end();
}

/** Who is logged in, or null. @param {Request} request */
function userOf(request) {
  const session = /(?:^|; )embed-session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
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
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
  };
  response.writeHead(200, headers).end(body);
}
