/** Recording row → resource. */
import { recordingStates } from '@clarion/protocol';
import type { RecordingView } from '@clarion/protocol';
import type { Recording } from '@clarion/db';

/** The customer is on the left of every recording (docs/requirements.md#media). */
export const CHANNEL_MAP = { left: 'CUSTOMER', right: 'AGENT' } as const;

const stateOf = (status: Recording['status']) =>
  recordingStates.find((state) => state === status.toLowerCase()) ?? 'processing';

export const presentRecording = (row: Recording): RecordingView => ({
  id: row.id,
  status: stateOf(row.status),
  durationSeconds: row.durationSeconds,
  format: row.format,
  channelMap: CHANNEL_MAP,
  completedAt: row.completedAt?.toISOString() ?? null,
  failureReason: row.status === 'FAILED' ? row.failureReason : null,
});
