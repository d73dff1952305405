import { eraseCustomer } from '@clarion/core/call/erase-customer';
import { alreadyDone } from '@clarion/core/prepared';
import { preparedEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = preparedEndpoint('eraseCustomer', async (ctx, { path, body }) =>
  alreadyDone(await eraseCustomer(ctx, path.tenantRef, body)),
);
