import { changePassword } from '@clarion/core/staff/set-password';
import { endpoint } from '#lib/api/wrapper.ts';

export const POST = endpoint('changePassword', (ctx, { body }) => changePassword(ctx, body));
