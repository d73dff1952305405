import { inviteAgain } from '@clarion/core/staff/users';
import { endpoint } from '#lib/api/wrapper.ts';

export const POST = endpoint('inviteUserAgain', (ctx, { path }) => inviteAgain(ctx, path.userId));
