import { getRecordingPolicy, putRecordingPolicy } from '@clarion/core/consumer/recording-policy';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putRecordingPolicy', async (ctx, { body }) => ({
  recordingPolicy: await putRecordingPolicy(ctx, body),
}));
export const GET = endpoint('getRecordingPolicy', async (ctx) => ({
  recordingPolicy: await getRecordingPolicy(ctx),
}));
