/** What is written to people: plain text, one link, and what to do when it was not them. */
import type { NewMail } from './queue-mail.ts';

/** A name in a sentence: with line breaks of its own it could write paragraphs and links of its own in our name. */
const inLine = (name: string): string => name.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

interface Reader {
  email: string;
  name: string;
}

export const invitationMail = (
  { email, name }: Reader,
  { account, inviter, link }: { account: string; inviter: string; link: string },
): NewMail => ({
  to: email,
  subject: `Your invitation to ${inLine(account)} on Clarion`,
  text: `Hello ${inLine(name)},

${inLine(inviter)} has invited you to the Clarion dashboard of ${inLine(account)}. Choose a password to begin:

${link}

The link works once and for seven days. If you do not know what this is about, do nothing.
`,
});

export const resetMail = (
  { email, name }: Reader,
  { link, lasts }: { link: string; lasts: 'an hour' | 'a day' },
): NewMail => ({
  to: email,
  subject: 'A new password for your Clarion account',
  text: `Hello ${inLine(name)},

Somebody, you we hope, asked for a new password for this address. Choose it here:

${link}

The link works once and for ${lasts}. If it was not you, do nothing: your password stays as it is.
`,
});

export const passwordChangedMail = ({ email, name }: Reader): NewMail => ({
  to: email,
  subject: 'Your Clarion password was changed',
  text: `Hello ${inLine(name)},

the password of your Clarion account was changed, and you were signed out everywhere else.

If it was not you, ask for a new password on the sign-in page at once, and tell the owner of your account.
`,
});

export const lockedMail = ({ email, name }: Reader, { link }: { link: string }): NewMail => ({
  to: email,
  subject: 'Somebody keeps trying your Clarion password',
  text: `Hello ${inLine(name)},

there were several wrong tries to sign in to your Clarion account, so that for a little while no try counts, not even a right one.

If it was you, a new password lets you in at once:

${link}

If it was not you, there is nothing you must do. Two factors, under "Your account and security", make a guessed password useless.
`,
});

export const twoFactorMail = ({ email, name }: Reader, change: 'on' | 'off'): NewMail => ({
  to: email,
  subject: `Two factors are ${change} for your Clarion account`,
  text: `Hello ${inLine(name)},

signing in to your Clarion account ${
    change === 'on'
      ? 'now takes a code from your phone besides your password'
      : 'does not take a code from your phone any more'
  }.

If it was not you, ask for a new password on the sign-in page at once, and tell the owner of your account.
`,
});

export const twoFactorResetMail = (
  { email, name, twoFactorRequired }: Reader & { twoFactorRequired: boolean },
  { owner, account }: { owner: string; account: string },
): NewMail => ({
  to: email,
  subject: 'The two factors of your Clarion account were removed',
  text: `Hello ${inLine(name)},

${inLine(owner)}, an owner of ${inLine(account)}, has removed the two factors of your Clarion account. Your authenticator and your recovery codes do not work any more, and you were signed out everywhere.

Sign in with your password alone. ${
    twoFactorRequired
      ? 'You are asked to set up two factors again before anything else.'
      : 'You can set up two factors again on "Your account and security".'
  }

If you did not ask for this, tell ${inLine(owner)}, and choose a new password with "Forgot your password?" on the sign-in page.
`,
});
