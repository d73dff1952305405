import { readLink } from '@clarion/core/staff/set-password';
import { readLinkBody } from '#lib/session/access-bodies.ts';
import { accessRoute } from '#lib/session/access-route.ts';

export const POST = accessRoute(readLinkBody, (ctx, { kind, token }) => readLink(ctx, kind, token));
