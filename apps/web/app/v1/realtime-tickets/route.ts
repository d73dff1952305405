import { issueRealtimeTicket } from '@clarion/core/realtime-ticket/issue-ticket';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('createRealtimeTicket', (ctx, { body }) => issueRealtimeTicket(ctx, body));
