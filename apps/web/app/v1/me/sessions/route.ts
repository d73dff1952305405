import { listMySessions } from '@clarion/core/session/list-sessions';
import { endpoint } from '#lib/api/wrapper.ts';

export const GET = endpoint('listMySessions', (ctx) => listMySessions(ctx));
