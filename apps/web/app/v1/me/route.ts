import { getMe } from '@clarion/core/session/get-me';
import { renameMe } from '@clarion/core/staff/rename-me';
import { endpoint } from '#lib/api/wrapper.ts';

export const GET = endpoint('getMe', (ctx) => getMe(ctx));
export const PATCH = endpoint('patchMe', (ctx, { body }) => renameMe(ctx, body));
