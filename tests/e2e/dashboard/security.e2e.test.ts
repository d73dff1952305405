/** Attacks on the built dashboard over plain HTTP: who gets which page, and whether its access checks can be bypassed. */
import { randomBytes } from 'node:crypto';
import { signToken } from '@clarion/testkit/stack/token';
import { TestStack } from '@clarion/testkit/stack/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BYPASSES, forgedBy, PATH_VARIANTS } from './security/bypass-attempts.ts';
import { faultsOf, isNotFound, policyOf } from './security/answers.ts';
import { ask as askAt, each, RSC } from './security/over-http.ts';
import type { Answered, Asked } from './security/over-http.ts';
import {
  addressOf,
  renderedBy,
  maySee,
  OPEN,
  pagesInTree,
  people,
  RULES,
  SPECIAL,
} from './security/pages.ts';
import type { Who } from './security/pages.ts';
import { COOKIE, PASSWORD, People } from './security/people-with-sessions.ts';

const SESSION_HEADER = 'x-clarion-dashboard';
/** Names that only their own tenant or account may read. */
const SECRET_NAMES = ['Zanzibar Trading', 'Rival Corner'];
const [HERE, THERE, FOREIGN] = ['shop', 'other-tenant', 'foreign-tenant'];

let t: TestStack;
let made: People;
let cookies: Record<Exclude<Who, 'anonymous'>, string>;
/** A person who must use two-factor authentication and has not set it up. */
let unready: string;

beforeAll(async () => {
  t = await TestStack.boot({ only: ['web'] });
  const [rival] = await Promise.all([
    t.createAccount('rival', t.carrier),
    t.v1.ok('PUT', `/v1/tenants/${HERE}`, { name: 'Shop' }),
    t.v1.ok('PUT', `/v1/tenants/${THERE}`, { name: SECRET_NAMES[0] }),
  ]);
  await rival.v1.ok('PUT', `/v1/tenants/${FOREIGN}`, { name: SECRET_NAMES[1] });
  made = new People(t, HERE);
  cookies = {
    OWNER: await made.staff('OWNER'),
    ADMIN: await made.staff('ADMIN'),
    SUPERVISOR: await made.staff('SUPERVISOR'),
    'launched ADMIN': await made.launched('ADMIN'),
    'launched SUPERVISOR': await made.launched('SUPERVISOR'),
  };
  unready = await made.staff('ADMIN', { twoFactorRequired: true });
});
afterAll(() => t?.stop());

const ask = (path: string, asked: Asked = {}): Promise<Answered> => askAt(t.baseUrl, path, asked);
const as = (who: Who): Record<string, string> => (who === 'anonymous' ? {} : { cookie: cookies[who] });

const isSentAway = ({ status, headers, text }: Answered, to: string): boolean =>
  status === 307
    ? new URL(headers.location ?? '', t.baseUrl).pathname === to
    : status === 200 && text.includes('NEXT_REDIRECT') && text.includes(to);

/** Secrets that no response may contain. */
function secrets(): string[] {
  const { CLARION_MASTER_KEY, DATABASE_URL } = t.stack.env;
  const held = [CLARION_MASTER_KEY, DATABASE_URL, t.account.apiKey, t.account.signingKey.secret];
  return [...held, t.account.webhookSecret, 'CLARION_MASTER_KEY', 'DATABASE_URL'].map(String);
}
const leakedIn = ({ text }: Answered, more: readonly string[] = SECRET_NAMES): string[] =>
  [...secrets(), ...more].filter((secret) => text.includes(secret));

test('every page checks access and is listed in security/pages.ts', () => {
  const pages = pagesInTree();
  const known = [...Object.keys(RULES), ...OPEN, ...SPECIAL].toSorted();
  expect(pages.map(({ path }) => path).toSorted()).toEqual(known);
  const unasked = pages.filter(({ path, source }) => !OPEN.has(path) && !/\bawait admit\(\{/.test(source));
  expect(unasked.map(({ path }) => path)).toEqual([]);
});

test.for(people)(
  '%s gets only the pages of their role, as HTML and as React Server Components',
  async (who) => {
    const wrong: string[] = [];
    const nonces = new Set<string>();
    let shown = 0;
    const kinds = Object.entries(RULES).flatMap(([path, rule]) =>
      [false, true].map((part) => ({ path, rule, part })),
    );
    await each(kinds, async ({ path, rule, part }) => {
      const answer = await ask(addressOf(path, HERE), { headers: { ...as(who), ...(part && RSC) } });
      const say = (what: string) => wrong.push(`${part ? 'RSC ' : ''}${path}: ${what}`);
      const leaks = leakedIn(answer);
      if (leaks.length > 0) say(`leaks ${leaks.join()}`);
      if (who === 'anonymous') {
        if (!isSentAway(answer, '/app/sign-in')) say(`${answer.status} without signing in`);
      } else if (maySee(who, rule)) {
        if (answer.status !== 200) say(`${answer.status} with access`);
        shown += 1;
        const faults = faultsOf(answer).filter((fault) => !(part && fault === 'no nonce'));
        if (faults.length > 0) say(faults.join());
        nonces.add(policyOf(answer).get('script-src') ?? '');
      } else if (!isNotFound(answer)) say(`${answer.status} without access`);
      const isRendered = answer.text.includes(renderedBy(path));
      if (isRendered !== maySee(who, rule)) say(isRendered ? 'rendered' : 'not rendered');
    });
    expect(wrong).toEqual([]);
    expect(nonces.size, 'no nonce is used twice').toBe(shown);
    expect(shown > 0).toBe(who !== 'anonymous');
  },
);

test('a tenant of another account looks like one that does not exist', async () => {
  const wrong: string[] = [];
  const ofTenants = Object.keys(RULES).filter((path) => path.includes('[tenantRef]'));
  const tries = ofTenants.flatMap((path, index) => [
    { who: 'OWNER' as const, path, tenant: FOREIGN, headers: index % 2 === 0 ? RSC : {} },
    { who: 'launched ADMIN' as const, path, tenant: THERE, headers: index % 2 === 0 ? {} : RSC },
    { who: 'launched SUPERVISOR' as const, path, tenant: FOREIGN, headers: {} },
  ]);
  await each(tries, async ({ who, path, tenant, headers }) => {
    const of = (ref: string) => ask(addressOf(path, ref), { headers: { ...as(who), ...headers } });
    const [answer, none] = [await of(tenant), await of('f'.repeat(tenant.length))];
    if (!isNotFound(answer) || leakedIn(answer, [...SECRET_NAMES, renderedBy(path)]).length > 0)
      wrong.push(`${who} ${path} ${answer.status}`);
    if (answer.status !== none.status) wrong.push(`${who} ${path} can be told apart`);
  });
  expect(wrong).toEqual([]);
});

test('a person who must set up two-factor authentication gets only the page for it', async () => {
  const headers = { cookie: unready };
  const wrong: string[] = [];
  await each(Object.keys(RULES), async (path) => {
    const answer = await ask(addressOf(path, HERE), { headers });
    if (!isSentAway(answer, '/app/two-factor')) wrong.push(`${path} ${answer.status}`);
  });
  expect(wrong).toEqual([]);
  expect((await ask('/app/two-factor', { headers })).status).toBe(200);
  expect(isSentAway(await ask('/app/two-factor', { headers: as('OWNER') }), '/app')).toBe(true);
  expect((await ask('/app/two-factor', { headers: as('launched ADMIN') })).status).toBe(404);
});

const RENDERED = renderedBy('/app/users');

test('no header and no variant of a path renders a page for a person without access', async () => {
  expect((await ask('/app/users', { headers: as('OWNER') })).text, 'what to look for').toContain(RENDERED);
  const drawn: string[] = [];
  const tries = [
    ...BYPASSES.map((headers) => ({ path: '/app/users', headers })),
    ...PATH_VARIANTS.flatMap((path) => [
      { path, headers: {} },
      { path, headers: RSC },
    ]),
  ];
  const asking = [as('anonymous'), as('launched ADMIN'), as('ADMIN')];
  await each(
    tries.flatMap((one) => asking.map((cookie) => ({ ...one, headers: { ...cookie, ...one.headers } }))),
    async ({ path, headers }) => {
      const answer = await ask(path, { headers });
      const leaks = leakedIn(answer, [...SECRET_NAMES, RENDERED]);
      if (leaks.length > 0 || answer.status >= 500)
        drawn.push(`${path} ${JSON.stringify(headers)} ${leaks.join()}`);
    },
  );
  expect(drawn).toEqual([]);
});

test('only GET and HEAD render a page, and server functions cannot be called', async () => {
  const wrong: string[] = [];
  const action = { 'Next-Action': 'a'.repeat(42), 'content-type': 'text/plain;charset=UTF-8' };
  const form = { 'content-type': 'multipart/form-data; boundary=b' };
  const field = '--b\r\nContent-Disposition: form-data; name="1_$ACTION_ID_x"\r\n\r\n\r\n--b--\r\n';
  const tries: Asked[] = [
    ...['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({ method })),
    { method: 'POST', headers: action, body: '[]' },
    { method: 'POST', headers: action, body: '["$1:__proto__:then","$F1"]' },
    { method: 'POST', headers: { ...action, origin: 'https://evil.example' }, body: '[]' },
    { method: 'POST', headers: { ...action, ...form }, body: field },
    { method: 'POST', headers: form, body: field },
  ];
  await each(['anonymous', 'launched ADMIN'] as const, async (who) => {
    for (const asked of tries) {
      const answer = await ask('/app/users', { ...asked, headers: { ...as(who), ...asked.headers } });
      const leaks = leakedIn(answer, [...SECRET_NAMES, RENDERED]);
      if (leaks.length > 0 || answer.status >= 500 || answer.status < 300)
        wrong.push(`${who} ${JSON.stringify(asked)} ${answer.status} ${leaks.join()}`);
    }
  });
  expect(wrong).toEqual([]);
});

const form = (fields: Record<string, string>): Asked => ({
  method: 'POST',
  headers: { [SESSION_HEADER]: '1', 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});
const setCookies = ({ headers }: Answered): string[] => headers['set-cookie'] ?? [];
const jar = (answer: Answered): string =>
  setCookies(answer)
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');

async function signInWith(
  provider: 'password' | 'launch',
  proof: Record<string, string>,
  more: Record<string, string> = {},
): Promise<Answered> {
  const csrf = await ask('/app/api/auth/csrf', { headers: { [SESSION_HEADER]: '1', ...more } });
  const { csrfToken } = JSON.parse(csrf.text) as { csrfToken: string };
  const { headers, ...asked } = form({ ...proof, csrfToken, json: 'true' });
  const cookie = [more['cookie'], jar(csrf)].filter(Boolean).join('; ');
  return ask(`/app/api/auth/callback/${provider}`, { ...asked, headers: { ...headers, ...more, cookie } });
}

test('signing in creates a new session that scripts and other sites cannot access', async () => {
  const { email } = await made.make('OWNER');
  const password = PASSWORD;
  const planted = await made.staff('SUPERVISOR');
  const stands = async () =>
    (await ask('/v1/me', { headers: { cookie: planted, [SESSION_HEADER]: '1' } })).status;
  expect((await signInWith('password', { email, password: 'x' }, { cookie: planted })).status).toBe(401);
  expect(await stands(), 'a failed sign-in attempt ends no session').toBe(200);
  const answer = await signInWith('password', { email, password }, { cookie: planted });
  expect(answer.status, answer.text).toBe(200);
  const [given = ''] = setCookies(answer).filter((cookie) => cookie.startsWith(`${COOKIE}=`));
  expect(given).toMatch(/; HttpOnly/i);
  expect(given).toMatch(/; SameSite=Lax/i);
  expect(given).toMatch(/; Path=\//i);
  expect(given).not.toMatch(/; Domain=/i);
  const mine = given.split(';', 1)[0] ?? '';
  expect(mine).not.toBe(planted);
  expect(await stands(), 'the earlier session is invalid').toBe(401);
  const me = await ask('/v1/me', { headers: { cookie: mine, [SESSION_HEADER]: '1' } });
  expect(JSON.parse(me.text)).toMatchObject({ me: { email, role: 'OWNER' } });
  // No secret of the sign-in is in a log.
  const secret = made.secretBox.open('dashboard-session', mine.slice(COOKIE.length + 1));
  const logged = t.log.join('\n');
  for (const kept of [password, secret, mine, ...secrets().slice(0, 5)]) expect(logged).not.toContain(kept);
});

test('signing in never redirects to another origin', async () => {
  const proof = { email: 'nobody@acme.test', password: 'x' };
  for (const callbackUrl of ['https://evil.example/', '//evil.example', `${t.baseUrl}@evil.example`]) {
    const answer = await signInWith('password', { ...proof, callbackUrl });
    expect(answer.status).toBe(401);
    expect(answer.text + setCookies(answer).join()).not.toContain('//evil.example');
    const page = await ask(`/app/sign-in?${new URLSearchParams({ next: callbackUrl })}`, {
      headers: as('OWNER'),
    });
    expect(new URL(page.headers.location ?? '', t.baseUrl).href).toBe(`${t.baseUrl}/app`);
  }
});

test('a forged cross-site request changes nothing, whatever its headers', async () => {
  const wrong: string[] = [];
  const targets: [string, string][] = [
    ['PUT', `/v1/tenants/${HERE}`],
    ['POST', '/v1/users'],
    ['POST', '/app/api/access/forgot-password'],
    ['POST', '/app/api/access/set-password'],
    ['POST', '/app/api/auth/signout'],
    ['POST', '/app/api/auth/callback/password'],
    ['POST', '/app/api/auth/callback/after-link'],
  ];
  const tries = forgedBy(SESSION_HEADER, t.baseUrl).flatMap((headers) =>
    targets.map(([method, path]) => ({ headers, method, path })),
  );
  await each(tries, async ({ headers, method, path }) => {
    const body = JSON.stringify({ name: 'Forged', email: 'a@b.test', role: 'OWNER' });
    const json = { 'content-type': 'application/json' };
    const answer = await ask(path, { method, headers: { ...as('OWNER'), ...json, ...headers }, body });
    if (answer.status !== 403) wrong.push(`${method} ${path} ${JSON.stringify(headers)} ${answer.status}`);
  });
  expect(wrong).toEqual([]);
  // A CORS preflight is not allowed.
  const preflight = await ask('/v1/users', {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-headers': SESSION_HEADER },
  });
  expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  expect((await ask('/v1/me', { headers: { ...as('OWNER'), [SESSION_HEADER]: '1' } })).status).toBe(200);
});

test('the Host header has no effect on links and redirects', async () => {
  const poisoned = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
  const { email } = await made.make('OWNER');
  const json = { 'content-type': 'application/json', [SESSION_HEADER]: '1' };
  const asked = { method: 'POST', headers: { ...json, ...poisoned }, body: JSON.stringify({ email }) };
  expect((await ask('/app/api/access/forgot-password', asked)).status).toBe(204);
  const { textSealed } = await t.db.mail.findFirstOrThrow({ where: { to: email } });
  const text = made.secretBox.open('mail', textSealed);
  expect(text).toContain(`${t.baseUrl}/app/reset-password#token=`);
  expect(text).not.toContain('evil');
  expect(t.log.join('\n')).not.toContain(/#token=([\w-]+)/.exec(text)?.[1]);
  const away = await ask('/app/users', { headers: poisoned });
  expect(isSentAway(away, '/app/sign-in')).toBe(true);
  expect(`${away.headers.location}${away.text}`).not.toContain('evil.example');
  expect((await ask('/app/inbox', { headers: poisoned })).status, 'the inbox is only for this machine').toBe(
    404,
  );
});

test('a launch token works once, and refused tokens are not logged', async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: 'acme',
    aud: 'clarion-dashboard',
    tnt: HERE,
    sub: 'u',
    role: 'ADMIN',
    iat: now,
    exp: now + 200,
  };
  const token = (more: object = {}, header = {}) =>
    signToken(t.account.signingKey, { ...claims, jti: randomBytes(8).toString('hex'), ...more }, header);
  const good = token();
  const tries = await Promise.all(Array.from({ length: 8 }, () => signInWith('launch', { token: good })));
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
  const unsigned = token({}, { alg: 'none' }).split('.').slice(0, 2).join('.');
  for (const bad of [
    `${unsigned}.`,
    token({}, { alg: 'HS512' }),
    token({ aud: ['clarion'] }),
    token({ jti: undefined }),
  ]) {
    const answer = await signInWith('launch', { token: bad });
    expect(answer.status).toBe(401);
    expect(setCookies(answer).join()).not.toContain(`${COOKIE}=v1`);
    expect(t.log.join('\n')).not.toContain(bad);
  }
  expect(t.log.join('\n')).not.toContain(good);
});

test('errors, missing pages and built files reveal no internals', async () => {
  const script = /\/_next\/static\/[^"]+\.js/.exec((await ask('/app/sign-in')).text)?.[0] ?? '';
  expect((await ask(script)).status).toBe(200);
  const gone = [
    `${script}.map`,
    '/_next/image?url=%2Ficon.svg&w=64&q=75',
    '/.env',
    '/_next/BUILD_ID',
    '/app/api/auth/session',
  ];
  const broken = [
    '/app/t/%ff/calls',
    '/embed/phone/%25',
    '/embed/phone/%00',
    '/app/%c0%af',
    '/app/t/%00/live',
    '/docs/%ff',
  ];
  const wrong: string[] = [];
  for (const path of [...gone, ...broken]) {
    const answer = await ask(path, { headers: as('OWNER') });
    if (gone.includes(path) && answer.status !== 404) wrong.push(`${path} ${answer.status}`);
    if (
      answer.status >= 500 ||
      /node_modules|\/apps\/web\/|at \w+ \(/.test(answer.text) ||
      leakedIn(answer).length > 0
    )
      wrong.push(`${path} ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  expect(wrong).toEqual([]);
  const nul = { method: 'POST', headers: { [SESSION_HEADER]: '1', 'content-type': 'application/json' } };
  const answer = await ask('/app/api/access/forgot-password', {
    ...nul,
    body: '{"email":"a\\u0000@b.test"}',
  });
  expect(answer.status).toBe(400);
});

test('only the phone may be framed, and only by the origins of its account', async () => {
  await t.v1.ok('PUT', '/v1/embed-settings', { allowed_origins: ['https://app.example.com'] });
  const framed = async (path: string) => policyOf(await ask(path)).get('frame-ancestors');
  expect(await framed('/embed/phone/acme')).toBe('frame-ancestors https://app.example.com');
  for (const path of [
    '/embed/phone/rival',
    '/embed/phone/nobody',
    '/embed/phone/acme/x',
    '/app/sign-in',
    '/demo',
  ])
    expect(await framed(path), path).toBe("frame-ancestors 'none'");
});

/** More than one address may send in two minutes, because the current minute may end meanwhile. */
const TRIES = 140;
/** The last test, because it exhausts the rate limit of this machine's address. */
test('unauthenticated requests are counted by their real address, whatever their headers claim', async () => {
  const statuses: number[] = [];
  await each(
    Array.from({ length: TRIES }, (_, index) => index),
    async (index) => {
      const spoofed = { 'x-forwarded-for': `192.0.2.${index}`, 'x-clarion-peer': `192.0.2.${index}` };
      const headers = { [SESSION_HEADER]: '1', 'content-type': 'application/json', ...spoofed };
      const body = JSON.stringify({ kind: 'RESET', token: `guess-${index}` });
      statuses.push((await ask('/app/api/access/read-link', { method: 'POST', headers, body })).status);
    },
  );
  expect(statuses.filter((status) => status !== 404 && status !== 429)).toEqual([]);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
});
