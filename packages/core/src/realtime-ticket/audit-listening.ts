/** Writes the audit entry when someone starts to listen from the dashboard, and for each change of the mode. */
import type { MonitoringMode } from '@clarion/protocol';
import type { Tx } from '@clarion/db';
import { auditRow } from '../context.ts';
import type { Watcher } from './watcher.ts';

export async function auditListening(
  db: Tx,
  { consumerId, tenant, actor }: Watcher,
  { callId, mode }: { callId: number; mode: MonitoringMode },
  now: Date,
): Promise<void> {
  const by = { consumer: { id: consumerId }, actor, surface: 'dashboard', now } as const;
  await db.auditEntry.create({
    data: auditRow(by, {
      action: 'call.monitor',
      target: String(callId),
      tenantId: tenant.id,
      details: { mode },
    }),
  });
}
