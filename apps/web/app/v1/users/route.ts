import { inviteUser, listUsers } from '@clarion/core/staff/users';
import { endpoint } from '#lib/api/wrapper.ts';

export const GET = endpoint('listUsers', async (ctx) => ({ users: await listUsers(ctx) }));
export const POST = endpoint('createUser', async (ctx, { body }) => ({ user: await inviteUser(ctx, body) }));
