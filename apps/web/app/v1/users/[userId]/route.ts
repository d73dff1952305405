import { changeUser, removeUser } from '@clarion/core/staff/users';
import { endpoint } from '#lib/api/wrapper.ts';

export const PATCH = endpoint('patchUser', async (ctx, { path, body }) => ({
  user: await changeUser(ctx, path.userId, body),
}));
export const DELETE = endpoint('deleteUser', (ctx, { path }) => removeUser(ctx, path.userId));
