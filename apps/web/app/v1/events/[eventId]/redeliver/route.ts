import { redeliverEvent } from '@clarion/core/event/redeliver-event';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('redeliverEvent', async (ctx, { path }) => ({
  event: await redeliverEvent(ctx, path.eventId),
}));
