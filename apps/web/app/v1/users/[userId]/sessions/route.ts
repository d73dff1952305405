import { endUserSessions } from '@clarion/core/staff/users';
import { endpoint } from '#lib/api/wrapper.ts';

export const DELETE = endpoint('deleteUserSessions', (ctx, { path }) => endUserSessions(ctx, path.userId));
