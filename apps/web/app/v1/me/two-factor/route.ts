import { startTwoFactor } from '@clarion/core/staff/two-factor';
import { endpoint } from '#lib/api/wrapper.ts';

export const POST = endpoint('startTwoFactor', (ctx, { body }) => startTwoFactor(ctx, body.password));
