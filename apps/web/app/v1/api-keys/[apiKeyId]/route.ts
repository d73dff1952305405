import { revokeApiKey } from '@clarion/core/consumer/keys';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const DELETE = endpoint('deleteApiKey', (ctx, { path }) => revokeApiKey(ctx, path.apiKeyId));
