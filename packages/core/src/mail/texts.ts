/** The emails to dashboard users: plain text, at most one link, and what to do if the reader did not cause the email. */
import type { NewMail } from './queue-mail.ts';

/** A name on one line: with line breaks, it could add its own paragraphs and links to the email. */
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

${inLine(inviter)} has invited you to the Clarion dashboard of ${inLine(account)}. Choose a password to get started:

${link}

The link can be used once and is valid for seven days. If you were not expecting this invitation, you can ignore this email.
`,
});

export const resetMail = (
  { email, name }: Reader,
  { link, lasts }: { link: string; lasts: 'an hour' | 'a day' },
): NewMail => ({
  to: email,
  subject: 'Reset your Clarion password',
  text: `Hello ${inLine(name)},

We received a request to reset the password of your Clarion account. Choose a new password here:

${link}

The link can be used once and is valid for ${lasts}. If you did not request this, you can ignore this email. Your password will not change.
`,
});

export const passwordChangedMail = ({ email, name }: Reader): NewMail => ({
  to: email,
  subject: 'Your Clarion password was changed',
  text: `Hello ${inLine(name)},

The password of your Clarion account was changed, and you were signed out of all other sessions.

If you did not do this, reset your password on the sign-in page immediately and contact the owner of your account.
`,
});

export const lockedMail = ({ email, name }: Reader, { link }: { link: string }): NewMail => ({
  to: email,
  subject: 'Failed sign-in attempts on your Clarion account',
  text: `Hello ${inLine(name)},

There were several failed attempts to sign in to your Clarion account. For your protection, sign-in is locked for a short time, even with the correct password.

If this was you, you can set a new password to sign in immediately:

${link}

If this was not you, you do not need to do anything. To protect your account even if someone guesses your password, enable two-factor authentication under "Your account and security".
`,
});

export const twoFactorMail = ({ email, name }: Reader, change: 'on' | 'off'): NewMail => ({
  to: email,
  subject: `Two-factor authentication was ${change === 'on' ? 'enabled' : 'disabled'} for your Clarion account`,
  text: `Hello ${inLine(name)},

Two-factor authentication was ${
    change === 'on'
      ? 'enabled for your Clarion account. From now on, you need your password and a code from your phone to sign in'
      : 'disabled for your Clarion account. You no longer need a code from your phone to sign in'
  }.

If you did not do this, reset your password on the sign-in page immediately and contact the owner of your account.
`,
});

export const twoFactorResetMail = (
  { email, name, twoFactorRequired }: Reader & { twoFactorRequired: boolean },
  { owner, account }: { owner: string; account: string },
): NewMail => ({
  to: email,
  subject: 'Two-factor authentication was reset for your Clarion account',
  text: `Hello ${inLine(name)},

${inLine(owner)}, an owner of ${inLine(account)}, has reset two-factor authentication for your Clarion account. Your authenticator and your recovery codes no longer work, and you were signed out of all sessions.

You can now sign in with your password alone. ${
    twoFactorRequired
      ? 'Before you can do anything else, you have to set up two-factor authentication again.'
      : 'You can set up two-factor authentication again on "Your account and security".'
  }

If you did not ask for this, contact ${inLine(owner)} and set a new password with "Forgot your password?" on the sign-in page.
`,
});
