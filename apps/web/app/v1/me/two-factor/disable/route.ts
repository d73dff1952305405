import { disableTwoFactor } from '@clarion/core/staff/two-factor';
import { endpoint } from '#lib/api/wrapper.ts';

export const POST = endpoint('disableTwoFactor', (ctx, { body }) => disableTwoFactor(ctx, body));
