import { prepareTestPush, recordTestPush, sendTestPush } from '@clarion/core/push/test-push';
import { countRequest } from '#lib/api/count-request.ts';
import { testPushBucket } from '#lib/api/rate-limit.ts';
import { runtime } from '#lib/api/runtime.ts';
import { twoPhaseEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = twoPhaseEndpoint('testPushCredentials', async (ctx, { path, body }, commit) => {
  const { rateLimiter, pushSender } = runtime();
  const test = await prepareTestPush(ctx, path.provider, body);
  await countRequest(rateLimiter, [testPushBucket(ctx.consumer.id)], ctx.now, {});
  const result = await sendTestPush(pushSender, test);
  return commit(async (inner) => ({ result: await recordTestPush(inner, test, result) }));
});
