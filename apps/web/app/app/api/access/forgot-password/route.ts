import { requestReset } from '@clarion/core/staff/request-reset';
import { forgotPasswordBody } from '#lib/session/access-bodies.ts';
import { accessRoute } from '#lib/session/access-route.ts';

export const POST = accessRoute(forgotPasswordBody, (ctx, { email }) => requestReset(ctx, email));
