/** Password resets by email, while an attacker who knows the address tries to prevent them. */
import { readInbox } from '@clarion/core/mail/inbox';
import { requestReset } from '@clarion/core/staff/request-reset';
import { setPasswordByLink } from '@clarion/core/staff/set-password';
import { trySignIn } from '@clarion/core/staff/sign-in';
import { signInAfterLink } from '@clarion/core/staff/sign-in-after-link';
import {
  CODES_AFTER_LINK,
  FREE_ATTEMPTS,
  RESET_MAILS,
  SIGN_IN_AFTER_LINK_MS,
} from '@clarion/core/staff/staff-limits';
import { totpCode } from '@clarion/testkit/agents/totp';
import { newTicket } from '@clarion/core/staff/tickets';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anonymous } from '#lib/session/auth-options.ts';
import { makeStaff, PASSWORD, staffSession } from '../dashboard.ts';
import { call, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
beforeAll(async () => {
  web = await startWeb();
  await web.runtime.ready;
  await web.consumer('acme');
});
afterAll(() => web.stop());

/** Each test runs on its own day. */
let days = 0;
beforeEach(() => web.setNow(new Date(Date.UTC(2027, 0, (days += 2), 9))));
const MINUTE_MS = 60_000;
const later = (ms: number) => web.setNow(new Date(web.runtime.now().getTime() + ms));

const ask = (email: string) => requestReset(anonymous(web.runtime), email);
const use = (link: string, password: string) =>
  setPasswordByLink(anonymous(web.runtime), 'RESET', link, password);
const device = { userAgent: null, address: '192.0.2.1' };
const attempt = (email: string, password: string, code: string | null = null, address = device.address) =>
  trySignIn(anonymous(web.runtime), { email, password, code }, { ...device, address });
const enter = (ticket: string, code: string | null = null) =>
  signInAfterLink(anonymous(web.runtime), { ticket, code }, device);
/** Newest first. */
const linksIn = async (email: string): Promise<string[]> => {
  const { db, secrets } = web.runtime;
  const mails = (await readInbox({ db, secrets })).filter(({ to }) => to === email);
  return mails.flatMap(({ text }) => /#token=([\w-]+)/.exec(text)?.[1] ?? []);
};

const NEW_PASSWORD = 'another harbour lantern';
/** Sets a new password with an emailed link. @returns the ticket to sign in */
async function resetOf(email: string): Promise<string> {
  await ask(email);
  const [link = ''] = await linksIn(email);
  return (await use(link, NEW_PASSWORD)).ticket;
}

const TOTP_SECRET = 'JBSWY3DPEHPK3PXP';
const currentCode = () => totpCode(TOTP_SECRET, web.runtime.now().getTime());
async function setUpTwoFactor(id: number): Promise<void> {
  const { db, now, secrets } = web.runtime;
  const totpSecretSealed = secrets.seal('two-factor', TOTP_SECRET);
  await db.staffUser.update({ where: { id }, data: { totpSecretSealed, totpConfirmedAt: now() } });
}

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

test('of two links of one user that are used concurrently, one sets the password and the other no longer works', async () => {
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

test('reset emails to one user are limited per minute, hour and day, also for concurrent requests', async () => {
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
  const timed = async (who: string) => {
    const startedAt = performance.now();
    expect(await ask(who)).toBeUndefined();
    return performance.now() - startedAt;
  };
  const rounds: { unknown: number; capped: number; mailed: number }[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { email } = await makeStaff(web, 'acme');
    await ask(email);
    const [unknown, capped] = [await timed('nobody@acme.test'), await timed(email)];
    later(MINUTE_MS);
    rounds.push({ unknown, capped, mailed: await timed(email) });
  }
  // The shortest of several times is that of the work: a busy machine only adds to it.
  const shortest = (of: keyof (typeof rounds)[number]) => Math.min(...rounds.map((round) => round[of]));
  for (const of of ['capped', 'mailed'] as const)
    expect(Math.abs(shortest(of) - shortest('unknown'))).toBeLessThan(150);
});

/** Guesses from several addresses until stopped; `passed` resolves after so many more guesses. */
function attack(email: string) {
  const addresses = ['198.51.100.1', '198.51.100.2', '203.0.113.3', '2001:db8::4'];
  let running = true;
  let guesses = 0;
  const loops = addresses.map(async (address) => {
    while (running) {
      await attempt(email, 'wrong', null, address);
      guesses += 1;
    }
  });
  return {
    passed: (more: number) => {
      const target = guesses + more;
      return expect.poll(() => guesses, { timeout: 20_000 }).toBeGreaterThanOrEqual(target);
    },
    stop: async () => {
      running = false;
      await Promise.all(loops);
    },
  };
}

test('a user who set a password with a link can sign in while attackers keep guessing from several addresses', async () => {
  const { email } = await makeStaff(web, 'acme');
  const attacker = attack(email);
  try {
    await attacker.passed(FREE_ATTEMPTS);
    expect(await attempt(email, PASSWORD)).toEqual({ refused: 'wrong' });
    const ticket = await resetOf(email);
    // More than the allowed attempts: sign-in is locked again.
    await attacker.passed(30 * FREE_ATTEMPTS);
    expect(await attempt(email, NEW_PASSWORD)).toEqual({ refused: 'wrong' });
    expect(await enter(ticket)).toHaveProperty('opened');
    expect(await enter(ticket), 'a ticket works once').toEqual({ refused: 'ticket' });
  } finally {
    await attacker.stop();
  }
});

test('so can a user with two-factor authentication, who may mistype the code a few times', async () => {
  const { id, email } = await makeStaff(web, 'acme');
  await setUpTwoFactor(id);
  const attacker = attack(email);
  try {
    await attacker.passed(FREE_ATTEMPTS);
    const ticket = await resetOf(email);
    await attacker.passed(30 * FREE_ATTEMPTS);
    expect(await enter(ticket), 'the link alone is not enough').toEqual({ refused: 'code' });
    for (let tries = 1; tries < CODES_AFTER_LINK; tries += 1) {
      expect(await enter(ticket, 'no code')).toEqual({ refused: 'wrong-code' });
    }
    expect(await enter(ticket, currentCode())).toHaveProperty('opened');
  } finally {
    await attacker.stop();
  }
});

test('after a link only a few codes are checked, also when sent concurrently', async () => {
  const { id, email } = await makeStaff(web, 'acme');
  await setUpTwoFactor(id);
  const ticket = await resetOf(email);
  const results = await Promise.all(Array.from({ length: 20 }, () => enter(ticket, '000000')));
  expect(results.filter((result) => 'refused' in result && result.refused === 'wrong-code')).toHaveLength(
    CODES_AFTER_LINK,
  );
  expect(await enter(ticket, currentCode())).toEqual({ refused: 'ticket' });
  expect(await attempt(email, NEW_PASSWORD, currentCode())).toHaveProperty('opened');
});

test('two concurrent uses of one ticket create one session', async () => {
  const { email } = await makeStaff(web, 'acme');
  const ticket = await resetOf(email);
  const both = await Promise.all([enter(ticket), enter(ticket)]);
  expect(both.filter((result) => 'opened' in result)).toHaveLength(1);
});

test("a ticket expires after some minutes, another reset, a lockout, or when the user's sessions are ended", async () => {
  const owner = await staffSession(web, 'acme');
  const { id, email } = await makeStaff(web, 'acme');
  const tooLate = await resetOf(email);
  later(SIGN_IN_AFTER_LINK_MS);
  expect(await enter(tooLate)).toEqual({ refused: 'ticket' });

  const replaced = await resetOf(email);
  later(MINUTE_MS);
  const ended = await resetOf(email);
  expect(await enter(replaced)).toEqual({ refused: 'ticket' });

  const path = { userId: id };
  expect((await call('deleteUserSessions', { ...owner, path })).status).toBe(204);
  expect(await enter(ended)).toEqual({ refused: 'ticket' });

  later(61 * MINUTE_MS);
  const disabled = await resetOf(email);
  expect((await call('patchUser', { ...owner, path, body: { disabled: true } })).status).toBe(200);
  expect(await enter(disabled)).toEqual({ refused: 'ticket' });
});

test('the token of an email link cannot be used as a ticket, and a ticket cannot set a password', async () => {
  const { email } = await makeStaff(web, 'acme');
  const ticket = await resetOf(email);
  await expect(use(ticket, PASSWORD)).rejects.toMatchObject({ code: 'not_found' });
  later(MINUTE_MS);
  await ask(email);
  const [link = ''] = await linksIn(email);
  expect(await enter(link)).toEqual({ refused: 'ticket' });
});
