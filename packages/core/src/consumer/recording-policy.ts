/** Whether the account's calls are recorded if neither the tenant nor the line has a policy. */
import type {
  PutRecordingPolicy,
  RecordingPolicyResource,
} from '@clarion/protocol/v1/account/recording-policy';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';

export async function putRecordingPolicy(
  ctx: Ctx,
  { enabled }: PutRecordingPolicy,
): Promise<RecordingPolicyResource> {
  return inTransaction(ctx, async (inner) => {
    await inner.db.consumer.update({ where: { id: inner.consumer.id }, data: { recordingEnabled: enabled } });
    await audit(inner, { action: 'recording_policy.put', target: 'recording-policy', details: { enabled } });
    return { enabled };
  });
}

/** Read from the database, so that a change is visible immediately in every process. */
export async function getRecordingPolicy({ db, consumer }: Ctx): Promise<RecordingPolicyResource> {
  const { recordingEnabled } = await db.consumer.findUniqueOrThrow({
    where: { id: consumer.id },
    select: { recordingEnabled: true },
  });
  return { enabled: recordingEnabled };
}
