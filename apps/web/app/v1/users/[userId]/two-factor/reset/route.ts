import { resetTwoFactor } from '@clarion/core/staff/users';
import { endpoint } from '#lib/api/wrapper.ts';

export const POST = endpoint('resetUserTwoFactor', (ctx, { path }) => resetTwoFactor(ctx, path.userId));
