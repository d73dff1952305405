import { listEvents } from '@clarion/core/event/list-events';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listEvents', (ctx, { query }) => listEvents(ctx, query));
