/** The account's dashboard users. Only users can manage users; API keys cannot. */
import { z } from 'zod';
import { staffRoles } from '../../enums.ts';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  NAME_MAX_CHARS,
  optional,
  orDefault,
  required,
  text,
  timestamp,
  enumField,
} from '../fields/fields.ts';

/** RFC 5321, section 4.5.3.1.3. */
const EMAIL_MAX_CHARS = 254;

export const createUserBody = z
  .object({
    email: required(text(EMAIL_MAX_CHARS)),
    name: required(text(NAME_MAX_CHARS)),
    role: required(enumField(staffRoles)),
    two_factor_required: orDefault(z.boolean(), false),
  })
  .transform(({ two_factor_required, ...rest }) => ({ ...rest, twoFactorRequired: two_factor_required }));
export type CreateUser = z.output<typeof createUserBody>;

/** Omitted fields are kept. */
export const patchUserBody = z
  .object({
    name: optional(text(NAME_MAX_CHARS)),
    role: optional(enumField(staffRoles)),
    disabled: optional(z.boolean()),
    two_factor_required: optional(z.boolean()),
  })
  .transform(({ name, role, disabled, two_factor_required }) => ({
    name: name ?? null,
    role: role ?? null,
    disabled: disabled ?? null,
    twoFactorRequired: two_factor_required ?? null,
  }));
export type PatchUser = z.output<typeof patchUserBody>;

export const userResource = z.strictObject({
  id,
  email: z.string(),
  name: z.string(),
  role: z.enum(staffRoles),
  /** INVITED: has not chosen a password yet. */
  status: z.enum(['ACTIVE', 'INVITED', 'DISABLED']),
  twoFactor: z.strictObject({ enabled: z.boolean(), required: z.boolean() }),
  lastSignInAt: timestamp.nullable(),
  createdAt: timestamp,
});
export type UserResource = z.infer<typeof userResource>;

const userExample = {
  id: 7,
  email: 'grace@acme.example',
  name: 'Grace Hopper',
  role: 'SUPERVISOR',
  status: 'INVITED',
  twoFactor: { enabled: false, required: true },
  lastSignInAt: null,
  createdAt: '2026-01-05T09:00:00.000Z',
};
const user = z.strictObject({ user: userResource });
const forOwners = { role: 'own', oneTenantSession: false, sessionOnly: true } as const;

export const userEndpoints = {
  listUsers: defineEndpoint({
    method: 'GET',
    path: '/v1/users',
    summary: 'Lists all dashboard users of the account, oldest first. For dashboard sessions only.',
    answer: { status: 200, body: z.strictObject({ users: z.array(userResource) }) },
    errors: ['forbidden'],
    ...forOwners,
    example: { answer: { users: [userExample] } },
  }),
  createUser: defineEndpoint({
    method: 'POST',
    path: '/v1/users',
    summary:
      'Invites a user to the dashboard. They receive an email with a link for choosing a password. For dashboard sessions only.',
    body: createUserBody,
    answer: { status: 201, body: user },
    errors: ['forbidden', 'exists'],
    ...forOwners,
    example: {
      body: {
        email: 'grace@acme.example',
        name: 'Grace Hopper',
        role: 'SUPERVISOR',
        two_factor_required: true,
      },
      answer: { user: userExample },
    },
  }),
  patchUser: defineEndpoint({
    method: 'PATCH',
    path: '/v1/users/{userId}',
    summary:
      "Changes a user's name or role, disables them (which signs them out immediately) or enables them again, or requires two-factor authentication. Null or omitted fields are kept. The last owner who can sign in cannot lose the role or be disabled. For dashboard sessions only.",
    body: patchUserBody,
    answer: { status: 200, body: user },
    errors: ['forbidden', 'not_found', 'invalid_state'],
    ...forOwners,
    example: {
      path: { userId: 7 },
      body: { role: 'ADMIN' },
      answer: { user: { ...userExample, role: 'ADMIN' } },
    },
  }),
  deleteUser: defineEndpoint({
    method: 'DELETE',
    path: '/v1/users/{userId}',
    summary:
      'Removes a user from the dashboard and signs them out immediately. The last owner who can sign in cannot be removed. For dashboard sessions only.',
    answer: { status: 204 },
    errors: ['forbidden', 'not_found', 'invalid_state'],
    ...forOwners,
    example: { path: { userId: 7 } },
  }),
  inviteUserAgain: defineEndpoint({
    method: 'POST',
    path: '/v1/users/{userId}/invitation',
    summary:
      'Sends a new invitation by email to a user who has not accepted the first one. The old link stops working. For dashboard sessions only.',
    answer: { status: 204 },
    errors: ['forbidden', 'not_found', 'invalid_state'],
    ...forOwners,
    example: { path: { userId: 7 } },
  }),
  deleteUserSessions: defineEndpoint({
    method: 'DELETE',
    path: '/v1/users/{userId}/sessions',
    summary: 'Signs a user out of all sessions immediately. For dashboard sessions only.',
    answer: { status: 204 },
    errors: ['forbidden', 'not_found'],
    ...forOwners,
    example: { path: { userId: 7 } },
  }),
  resetUserTwoFactor: defineEndpoint({
    method: 'POST',
    path: '/v1/users/{userId}/two-factor/reset',
    summary:
      'Resets two-factor authentication for a user who has lost access to it: removes their authenticator and recovery codes, signs them out of all sessions and notifies them by email. Owners disable their own with `/v1/me/two-factor/disable`. For dashboard sessions only.',
    answer: { status: 204 },
    errors: ['forbidden', 'not_found', 'invalid_state'],
    ...forOwners,
    example: { path: { userId: 7 } },
  }),
};
