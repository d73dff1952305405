import { setPasswordByLink } from '@clarion/core/staff/set-password';
import { setPasswordBody } from '#lib/session/access-bodies.ts';
import { accessRoute } from '#lib/session/access-route.ts';

export const POST = accessRoute(setPasswordBody, (ctx, { kind, token, password }) =>
  setPasswordByLink(ctx, kind, token, password),
);
