import { confirmTwoFactor } from '@clarion/core/staff/two-factor';
import { endpoint } from '#lib/api/wrapper.ts';

export const POST = endpoint('confirmTwoFactor', (ctx, { body }) => confirmTwoFactor(ctx, body.code));
