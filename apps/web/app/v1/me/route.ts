import { getMe } from '@clarion/core/session/get-me';
import { endpoint } from '../../../lib/api/wrapper.ts';

export const GET = endpoint('getMe', (ctx) => getMe(ctx));
