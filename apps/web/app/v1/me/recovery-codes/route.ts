import { renewRecoveryCodes } from '@clarion/core/staff/two-factor';
import { endpoint } from '#lib/api/wrapper.ts';

export const POST = endpoint('renewRecoveryCodes', (ctx, { body }) => renewRecoveryCodes(ctx, body.password));
