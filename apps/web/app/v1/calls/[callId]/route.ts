import { getCall } from '@clarion/core/call/get-call';
import { endpoint } from '../../../../lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getCall', (ctx, { path }) => getCall(ctx, path.callId));
