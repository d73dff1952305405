import { askReset } from '@clarion/core/staff/ask-reset';
import { forgotPasswordBody } from '#lib/session/access-bodies.ts';
import { accessRoute } from '#lib/session/access-route.ts';

export const POST = accessRoute(forgotPasswordBody, (ctx, { email }) => askReset(ctx, email));
