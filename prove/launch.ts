/** A thousand browsers open one launch link at once, against the running service, again and again: one of them is let in. */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { signToken } from '@clarion/testkit/stack/token';
import { TestStack } from '@clarion/testkit/stack/stack';

const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
  },
});
const TOKEN_SECONDS = 300;
const OK = 200;
const REFUSED = 401;
/** The limit of tries per address is another matter: each try claims to come from elsewhere, by a proxy that is believed. */
const addressOf = (n: number) => `198.18.${Math.floor(n / 250) % 250}.${(n % 250) + 1}`;
const OWN_PAGE = { 'x-clarion-dashboard': '1' };

const say = (line: string) => process.stdout.write(`${line}\n`);
const problems: string[] = [];

/** What a browser does: next-auth's token with its cookie, then the launch. */
async function prepare(baseUrl: string): Promise<(token: string, from: string) => Promise<Response>> {
  const asked = await fetch(`${baseUrl}/app/api/auth/csrf`, { headers: OWN_PAGE });
  const { csrfToken } = (await asked.json()) as { csrfToken: string };
  const cookie = asked.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return (token, from) =>
    fetch(`${baseUrl}/app/api/auth/callback/launch`, {
      method: 'POST',
      headers: { ...OWN_PAGE, cookie, 'x-forwarded-for': from },
      body: new URLSearchParams({ token, csrfToken, json: 'true' }),
    });
}

async function round(t: TestStack): Promise<void> {
  const launch = await prepare(t.baseUrl);
  const now = Math.floor(Date.now() / 1000);
  const token = signToken(t.account.signingKey, {
    iss: t.account.slug,
    aud: 'clarion-dashboard',
    tnt: 'shop',
    sub: 'user-7',
    name: 'Grace',
    role: 'SUPERVISOR',
    jti: randomUUID(),
    iat: now,
    exp: now + TOKEN_SECONDS,
  });
  const before = await t.db.dashboardSession.count();
  const started = performance.now();
  const answers = await Promise.all(
    Array.from({ length: Number(values.tries) }, (_, n) => launch(token, addressOf(n))),
  );
  const seconds = (performance.now() - started) / 1000;
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  const made = (await t.db.dashboardSession.count()) - before;
  const withCookie = answers.filter((answer) =>
    answer.headers.getSetCookie().some((each) => each.startsWith('clarion-session=v1')),
  ).length;
  say(
    `${answers.length} tries in ${seconds.toFixed(1)} s: ${count(OK)} let in, ${count(REFUSED)} refused, ${made} sessions made, ${withCookie} cookies given`,
  );
  if (count(OK) !== 1 || made !== 1 || withCookie !== 1) problems.push('not exactly one was let in');
  if (count(OK) + count(REFUSED) !== answers.length) problems.push('some answers were neither');
}

const t = await TestStack.boot({ only: ['web'], env: { CLARION_TRUSTED_PROXIES: '1' } });
try {
  await t.v1.ok('PUT', '/v1/tenants/shop', { name: 'Shop' });
  for (let n = 0; n < Number(values.rounds); n += 1) await round(t);
} finally {
  await t.stop();
}
for (const problem of problems) say(`PROBLEM ${problem}`);
say(problems.length === 0 ? 'One token, one session.' : 'It does not hold.');
process.exitCode = problems.length === 0 ? 0 : 1;
