/** Password resets by mail, while an attacker who knows the address tries to prevent them. */
import { readInbox } from '@clarion/core/mail/inbox';
import { askReset } from '@clarion/core/staff/ask-reset';
import { setPasswordByLink } from '@clarion/core/staff/set-password';
import { trySignIn } from '@clarion/core/staff/sign-in';
import { newTicket } from '@clarion/core/staff/tickets';
import { FREE_TRIES, RESET_MAILS, TRIES_AFTER_LINK } from '@clarion/core/staff/staff-limits';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anonymous } from '../../lib/session/auth-options.ts';
import { makeStaff, PASSWORD } from '../dashboard.ts';
import { startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
beforeAll(async () => {
  web = await startWeb();
  await web.runtime.ready;
  await web.consumer('acme');
});
afterAll(() => web.stop());

/** Each test runs on a day of its own. */
let days = 0;
beforeEach(() => web.setNow(new Date(Date.UTC(2027, 0, (days += 2), 9))));
const MINUTE_MS = 60_000;
const later = (ms: number) => web.setNow(new Date(web.runtime.now().getTime() + ms));

const ask = (email: string) => askReset(anonymous(web.runtime), email);
const use = (link: string, password: string) =>
  setPasswordByLink(anonymous(web.runtime), 'RESET', link, password);
const device = { userAgent: null, address: '192.0.2.1' };
const attempt = (email: string, password: string, code: string | null = null) =>
  trySignIn(anonymous(web.runtime), { email, password, code }, device);
/** Newest first. */
const linksIn = async (email: string): Promise<string[]> => {
  const { db, secrets } = web.runtime;
  const mails = (await readInbox({ db, secrets })).filter(({ to }) => to === email);
  return mails.flatMap(({ text }) => /#token=([\w-]+)/.exec(text)?.[1] ?? []);
};

test('a reset requested by someone else leaves earlier links working, until one is used', async () => {
  const { email } = await makeStaff(web, 'acme');
  await ask(email);
  later(MINUTE_MS);
  await ask(email);
  const [newer = '', older = ''] = await linksIn(email);
  await use(older, 'another harbour lantern');
  expect(await attempt(email, 'another harbour lantern')).toHaveProperty('opened');
  await expect(use(newer, 'a third harbour lantern')).rejects.toMatchObject({ code: 'not_found' });
});

test('of two links of one person that are used at once, one sets the password and the other no longer works', async () => {
  const { id, email } = await makeStaff(web, 'acme');
  const link = () => newTicket({ db: web.runtime.db, now: web.runtime.now() }, id, 'RESET');
  for (let round = 0; round < 12; round += 1) {
    const passwords = [`lantern ${round} of the harbour`, `harbour ${round} of the lantern`];
    const links = await Promise.all(passwords.map(link));
    const results = await Promise.allSettled(links.map((secret, at) => use(secret, passwords[at] ?? '')));
    const won = results.findIndex(({ status }) => status === 'fulfilled');
    expect(results[1 - won]).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    expect(await attempt(email, passwords[won] ?? '')).toHaveProperty('opened');
  }
});

test('reset mails to one person are limited per minute, hour and day, also for concurrent requests', async () => {
  const { email } = await makeStaff(web, 'acme');
  await Promise.all(Array.from({ length: 5 }, () => ask(email)));
  expect(await linksIn(email)).toHaveLength(1);
  for (let minute = 0; minute < 5; minute += 1) {
    later(MINUTE_MS);
    await ask(email);
  }
  expect(await linksIn(email)).toHaveLength(RESET_MAILS.perHour);
  for (let hour = 0; hour < 12; hour += 1) {
    later(61 * MINUTE_MS);
    await ask(email);
  }
  const links = await linksIn(email);
  expect(links).toHaveLength(RESET_MAILS.perDay);
  await use(links[0] ?? '', 'another harbour lantern');
});

test('the response to a reset request reveals neither an unknown address nor a limit', async () => {
  const { email } = await makeStaff(web, 'acme');
  await ask(email);
  const timed = async (who: string) => {
    const startedAt = performance.now();
    expect(await ask(who)).toBeUndefined();
    return performance.now() - startedAt;
  };
  const [unknown, capped] = [await timed('nobody@acme.test'), await timed(email)];
  later(MINUTE_MS);
  const mailed = await timed(email);
  for (const ms of [unknown, capped, mailed]) expect(Math.abs(ms - unknown)).toBeLessThan(150);
});

test('a person who set a password with a link can sign in while someone else keeps guessing', async () => {
  const { email } = await makeStaff(web, 'acme');
  const guess = (times: number) => Promise.all(Array.from({ length: times }, () => attempt(email, 'wrong')));
  await guess(FREE_TRIES);
  expect(await attempt(email, PASSWORD)).toEqual({ refused: 'wrong' });
  await ask(email);
  const [link = ''] = await linksIn(email);
  await use(link, 'another harbour lantern');
  await guess(3 * FREE_TRIES);
  expect(await attempt(email, 'another harbour lantern')).toHaveProperty('opened');
  await guess(FREE_TRIES);
  expect(
    await attempt(email, 'another harbour lantern'),
    'the attempts that the link added are used up',
  ).toEqual({
    refused: 'wrong',
  });
});

test('a link adds attempts for wrong passwords and none for wrong codes', async () => {
  const { id, email } = await makeStaff(web, 'acme');
  const { db, secrets } = web.runtime;
  await ask(email);
  const [link = ''] = await linksIn(email);
  await use(link, 'another harbour lantern');
  await db.staffUser.update({
    where: { id },
    data: {
      totpSecretSealed: secrets.seal('two-factor', 'JBSWY3DPEHPK3PXP'),
      totpConfirmedAt: web.runtime.now(),
    },
  });
  const { failedSignIns } = await db.staffUser.findUniqueOrThrow({ where: { id } });
  expect(failedSignIns).toBe(-TRIES_AFTER_LINK);
  for (let count = 0; count < FREE_TRIES; count += 1)
    await attempt(email, 'another harbour lantern', 'no code');
  expect(await attempt(email, 'another harbour lantern')).toEqual({ refused: 'wrong' });
});
