import { getEvent } from '@clarion/core/event/get-event';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getEvent', (ctx, { path }) => getEvent(ctx, path.eventId));
