import { terminateCall } from '@clarion/core/call/terminate-call';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('terminateCall', async (ctx, { path }) => {
  await terminateCall(ctx, path.callId);
  return { accepted: true as const };
});
