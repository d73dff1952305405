import { purgeWhatsApp } from '@clarion/core/whatsapp/purge-whatsapp';
import type { WorkerTask } from './index.ts';

export const pruneWhatsAppTask: WorkerTask<'prune-whatsapp'> = async (_, { db, now }) => {
  await purgeWhatsApp(db, now());
};
