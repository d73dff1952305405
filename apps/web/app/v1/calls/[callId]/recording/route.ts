import { getRecording } from '@clarion/core/recording/get-recording';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getRecording', (ctx, { path }) => getRecording(ctx, path.callId));
