/** Every job of the catalogue and the task that carries it out; one that is missing does not compile. */
import type { DeliveryContext } from '@clarion/core/event/deliver-event';
import type { JobName, JobPayload } from '@clarion/db';
import type { Counter } from 'prom-client';
import { deliverEventTask } from './deliver-event.ts';

/** What tasks are given besides their payload. */
export interface TaskContext extends DeliveryContext {
  deliveries: Counter<'outcome'>;
}

export type WorkerTask<N extends JobName> = (payload: JobPayload<N>, ctx: TaskContext) => Promise<void>;

export const tasks: { [N in JobName]: WorkerTask<N> } = {
  'deliver-event': deliverEventTask,
};
