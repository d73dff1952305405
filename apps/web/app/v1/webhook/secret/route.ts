import { rotateWebhookSecret } from '@clarion/core/event/put-webhook';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('rotateWebhookSecret', (ctx) => rotateWebhookSecret(ctx));
