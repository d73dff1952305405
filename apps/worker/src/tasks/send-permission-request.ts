import { sendPermissionRequest } from '@clarion/core/whatsapp/send-permission-request';
import type { WorkerTask } from './index.ts';

/** The result is stored with the permission, so a refusal by WhatsApp is no error of the job. */
export const sendPermissionRequestTask: WorkerTask<'send-permission-request'> = async (payload, ctx) => {
  await sendPermissionRequest(ctx, payload);
};
