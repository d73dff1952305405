/** A user's own name, password and two-factor authentication. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { NAME_MAX_CHARS, required, text } from '../fields/fields.ts';
import { meExample, meResource } from './me.ts';

/** Not trimmed: spaces are part of a password. The verb rejects passwords longer than `PASSWORD_MAX_CHARS`. */
const password = z.string().max(1000);
const code = text(50);

const patchMeBody = z.object({ name: required(text(NAME_MAX_CHARS)) });
const changePasswordBody = z
  .object({
    current_password: required(password).describe('The current password.'),
    password: required(password),
  })
  .transform((body) => ({ currentPassword: body.current_password, password: body.password }));
const passwordBody = z.object({ password: required(password) });
const codeBody = z.object({ code: required(code) });
const passwordAndCodeBody = z.object({ password: required(password), code: required(code) });

const recoveryCodes = z.strictObject({ recoveryCodes: z.array(z.string()) });
const recoveryExample = { recoveryCodes: ['h7k2m-x9qwd', 'p3vnt-r8jye'] };
const own = { role: 'view', oneTenantSession: false, sessionOnly: true, beforeTwoFactor: true } as const;

export const meSecurityEndpoints = {
  patchMe: defineEndpoint({
    method: 'PATCH',
    path: '/v1/me',
    summary: "Changes the user's own name. For dashboard sessions only.",
    body: patchMeBody,
    answer: { status: 200, body: z.strictObject({ me: meResource }) },
    errors: ['forbidden'],
    ...own,
    example: { body: { name: 'Ada Lovelace' }, answer: { me: meExample } },
  }),
  changePassword: defineEndpoint({
    method: 'POST',
    path: '/v1/me/password',
    summary: "Changes the user's own password and ends their other sessions. For dashboard sessions only.",
    body: changePasswordBody,
    answer: { status: 204 },
    errors: ['forbidden', 'too_soon'],
    ...own,
    neverReplayed: true,
    example: { body: { current_password: 'my current password', password: 'copper lantern violet harbour' } },
  }),
  startTwoFactor: defineEndpoint({
    method: 'POST',
    path: '/v1/me/two-factor',
    summary:
      'Starts setting up two-factor authentication. Returns a secret for an authenticator app, as text and as the URI for its QR code. Two-factor authentication is enabled once a code is confirmed. For dashboard sessions only.',
    body: passwordBody,
    answer: { status: 201, body: z.strictObject({ secret: z.string(), otpauthUri: z.string() }) },
    errors: ['forbidden', 'invalid_state', 'too_soon'],
    ...own,
    neverReplayed: true,
    example: {
      body: { password: 'copper lantern violet harbour' },
      answer: {
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        otpauthUri:
          'otpauth://totp/Clarion:ada%40acme.example?issuer=Clarion&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
      },
    },
  }),
  confirmTwoFactor: defineEndpoint({
    method: 'POST',
    path: '/v1/me/two-factor/confirm',
    summary:
      "Enables two-factor authentication with a code from the authenticator app. Returns recovery codes, which are shown only once, and ends the user's other sessions. For dashboard sessions only.",
    body: codeBody,
    answer: { status: 200, body: recoveryCodes },
    errors: ['forbidden', 'invalid_state'],
    ...own,
    neverReplayed: true,
    example: { body: { code: '492039' }, answer: recoveryExample },
  }),
  disableTwoFactor: defineEndpoint({
    method: 'POST',
    path: '/v1/me/two-factor/disable',
    summary:
      'Disables two-factor authentication with the password and a code from the authenticator app or a recovery code. Not available to users for whom the account requires two-factor authentication. For dashboard sessions only.',
    body: passwordAndCodeBody,
    answer: { status: 204 },
    errors: ['forbidden', 'invalid_state', 'too_soon'],
    ...own,
    neverReplayed: true,
    example: { body: { password: 'copper lantern violet harbour', code: '492039' } },
  }),
  renewRecoveryCodes: defineEndpoint({
    method: 'POST',
    path: '/v1/me/recovery-codes',
    summary:
      'Replaces the recovery codes with new ones, which are shown only once. For dashboard sessions only.',
    body: passwordBody,
    answer: { status: 201, body: recoveryCodes },
    errors: ['forbidden', 'invalid_state', 'too_soon'],
    ...own,
    neverReplayed: true,
    example: { body: { password: 'copper lantern violet harbour' }, answer: recoveryExample },
  }),
};
