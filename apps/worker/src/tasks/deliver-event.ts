import { adoptDelivery } from '@clarion/core/event/adopt-delivery';
import type { WorkerTask } from './index.ts';

export const deliverEventTask: WorkerTask<'deliver-event'> = ({ eventId }, { db }) =>
  adoptDelivery(db, eventId);
