import { endMySession } from '@clarion/core/session/end-sessions';
import { endpoint } from '#lib/api/wrapper.ts';

export const DELETE = endpoint('deleteMySession', (ctx, { path }) => endMySession(ctx, path.sessionId));
