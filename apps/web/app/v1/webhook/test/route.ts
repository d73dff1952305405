import { sendTestEvent } from '@clarion/core/event/send-test-event';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('testWebhook', async (ctx) => ({ event: await sendTestEvent(ctx) }));
