import { revokeSigningKey } from '@clarion/core/consumer/keys';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const DELETE = endpoint('deleteSigningKey', (ctx, { path }) => revokeSigningKey(ctx, path.kid));
