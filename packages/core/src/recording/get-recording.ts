/** Where a call's recording can be downloaded, for a while. */
import { notFound } from '@clarion/protocol';
import type { RecordingUrl } from '@clarion/protocol/v1/call/calls';
import { callOf } from '../call-record/call-of.ts';
import type { Ctx } from '../context.ts';
import { DOWNLOAD_SECONDS } from '@clarion/store/store';
import { CHANNEL_MAP } from './present.ts';
import { fileOfRecording } from './recording-files.ts';

/** @throws 404 until the recording has completed, and again once its file is gone; 503 storage_unavailable */
export async function getRecording(ctx: Ctx, callId: number): Promise<RecordingUrl> {
  const { db, store, now } = ctx;
  await callOf(ctx, callId);
  const recording = await db.recording.findUnique({ where: { callId } });
  const file = recording?.status === 'COMPLETED' ? fileOfRecording(recording) : null;
  // Asked of the store itself: an address that leads nowhere would be worse than saying so.
  if (!recording || !file || (await store.sizeOf(file)) === null) throw notFound('The recording');
  return {
    url: await store.downloadUrl(file, now),
    expiresInSeconds: DOWNLOAD_SECONDS,
    format: recording.format,
    channelMap: CHANNEL_MAP,
  };
}
