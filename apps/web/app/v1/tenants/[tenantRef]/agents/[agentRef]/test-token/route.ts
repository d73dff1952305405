import { issueTestToken } from '@clarion/core/agent/issue-test-token';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('createTestToken', async (ctx, { path, body }) => ({
  testToken: await issueTestToken(ctx, { ...path, ...body }),
}));
