/** Every job of the catalogue and its task. A missing task does not compile. */
import type { DeliveryContext } from '@clarion/core/event/delivery';
import type { GraphClient } from '@clarion/core/whatsapp/graph-client';
import type { Transport } from '@clarion/core/mail/send-mail';
import type { Database, JobName, JobPayload } from '@clarion/db';
import type { Store } from '@clarion/store/store';
import type { CronItem } from 'graphile-worker';
import type { Counter } from 'prom-client';
import { announceLowBalancesTask } from './announce-low-balances.ts';
import { blockOverdueAccountsTask } from './block-overdue-accounts.ts';
import { invoiceMonthsTask } from './invoice-months.ts';
import { pruneFailedFactsTask } from './prune-failed-facts.ts';
import { pruneLaddersTask } from './prune-ladders.ts';
import { prunePushesTask } from './prune-pushes.ts';
import { pruneRefusalsTask } from './prune-refusals.ts';
import { pruneWhatsAppTask } from './prune-whatsapp.ts';
import { recordDailyUsageTask } from './record-daily-usage.ts';
import { removeFileTask } from './remove-file.ts';
import { retainRecordingsTask } from './retain-recordings.ts';
import { sendMailTask } from './send-mail.ts';
import { sendPermissionRequestTask } from './send-permission-request.ts';
import { sweepRecordingsTask } from './sweep-recordings.ts';

/** The context of every task. */
export interface TaskContext extends DeliveryContext {
  db: Database;
  /** Recordings and audio. */
  store: Store;
  deliveries: Counter<'outcome'>;
  /** Null: there is no mail server. */
  transport: Transport | null;
  /** The issuer of accounts' own invoices. */
  operatorName: string;
  /** WhatsApp's API. */
  graph: GraphClient;
}

export type WorkerTask<N extends JobName> = (payload: JobPayload<N>, ctx: TaskContext) => Promise<void>;

export const tasks: { [N in JobName]: WorkerTask<N> } = {
  'announce-low-balances': announceLowBalancesTask,
  'block-overdue-accounts': blockOverdueAccountsTask,
  'invoice-months': invoiceMonthsTask,
  'prune-failed-facts': pruneFailedFactsTask,
  'prune-ladders': pruneLaddersTask,
  'prune-pushes': prunePushesTask,
  'prune-refusals': pruneRefusalsTask,
  'prune-whatsapp': pruneWhatsAppTask,
  'record-daily-usage': recordDailyUsageTask,
  'remove-file': removeFileTask,
  'retain-recordings': retainRecordingsTask,
  'send-mail': sendMailTask,
  'send-permission-request': sendPermissionRequestTask,
  'sweep-recordings': sweepRecordingsTask,
};

/** Periodic tasks, each run once across all workers. A missed run is not repeated: the next one does its work. */
export const schedule: CronItem[] = [
  {
    task: 'announce-low-balances',
    match: '* * * * *',
    options: { jobKey: 'announce-low-balances', maxAttempts: 1 },
  },
  {
    task: 'sweep-recordings',
    match: '*/10 * * * *',
    options: { jobKey: 'sweep-recordings', maxAttempts: 1 },
  },
  {
    task: 'retain-recordings',
    match: '17 * * * *',
    options: { jobKey: 'retain-recordings', maxAttempts: 1 },
  },
  {
    task: 'prune-refusals',
    match: '43 * * * *',
    options: { jobKey: 'prune-refusals', maxAttempts: 1 },
  },
  {
    task: 'prune-ladders',
    match: '37 * * * *',
    options: { jobKey: 'prune-ladders', maxAttempts: 1 },
  },
  {
    task: 'prune-pushes',
    match: '33 * * * *',
    options: { jobKey: 'prune-pushes', maxAttempts: 1 },
  },
  {
    task: 'prune-failed-facts',
    match: '47 * * * *',
    options: { jobKey: 'prune-failed-facts', maxAttempts: 1 },
  },
  {
    task: 'record-daily-usage',
    match: '5 * * * *',
    options: { jobKey: 'record-daily-usage', maxAttempts: 1 },
  },
  {
    task: 'invoice-months',
    match: '10 * * * *',
    options: { jobKey: 'invoice-months', maxAttempts: 1 },
  },
  {
    task: 'block-overdue-accounts',
    match: '20 * * * *',
    options: { jobKey: 'block-overdue-accounts', maxAttempts: 1 },
  },
  {
    task: 'prune-whatsapp',
    match: '51 * * * *',
    options: { jobKey: 'prune-whatsapp', maxAttempts: 1 },
  },
];
