import { listAudit } from '@clarion/core/audit/list-audit';
import { endpoint } from '#lib/api/wrapper.ts';

export const GET = endpoint('listAuditLog', (ctx, { query }) => listAudit(ctx, query));
