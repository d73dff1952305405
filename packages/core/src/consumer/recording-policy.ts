/** Whether the account's calls are recorded where neither tenant nor line says otherwise. */
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

/** Read anew: who has just set it sees it, whichever process answers. */
export async function getRecordingPolicy({ db, consumer }: Ctx): Promise<RecordingPolicyResource> {
  const { recordingEnabled } = await db.consumer.findUniqueOrThrow({
    where: { id: consumer.id },
    select: { recordingEnabled: true },
  });
  return { enabled: recordingEnabled };
}
