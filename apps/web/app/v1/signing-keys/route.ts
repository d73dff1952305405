import { createSigningKey, listSigningKeys } from '@clarion/core/consumer/keys';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('createSigningKey', (ctx, { body }) => createSigningKey(ctx, body));
export const GET = endpoint('listSigningKeys', async (ctx) => ({ signingKeys: await listSigningKeys(ctx) }));
