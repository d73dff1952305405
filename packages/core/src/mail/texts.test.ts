import { expect, test } from 'vitest';
import { invitationMail, resetMail, twoFactorResetMail } from './texts.ts';

const LINK = 'https://app.example.com/app/invitation#token=abc';
const FORGED = 'Ada\r\n\r\nhttps://evil.example/sign-in\r\n\r\n';

test('a name cannot add a line to the text or the subject', () => {
  const reader = { email: 'a@b.test', name: FORGED };
  const mail = invitationMail(reader, { account: `Acme${FORGED}`, inviter: FORGED, link: LINK });
  for (const { text, subject } of [mail, resetMail(reader, { link: LINK, lasts: 'an hour' })]) {
    expect(text.split('\n').filter((line) => line.startsWith('https://'))).toEqual([LINK]);
    expect(subject).not.toMatch(/[\r\n]/);
  }
  expect(mail.text).toContain('Hello Ada https://evil.example/sign-in,');
});

test('the reset email names the owner and explains the next step', () => {
  const reader = { email: 'a@b.test', name: 'Ada', twoFactorRequired: true };
  const { text } = twoFactorResetMail(reader, { owner: FORGED, account: FORGED });
  expect(text.split('\n').filter((line) => line.startsWith('https://'))).toEqual([]);
  expect(text).toContain('you have to set up two-factor authentication again');
  const free = twoFactorResetMail(
    { ...reader, twoFactorRequired: false },
    { owner: 'Olivia', account: 'Acme' },
  );
  expect(free.text).toContain('Olivia, an owner of Acme, has reset');
  expect(free.text).not.toContain('you have to');
});
