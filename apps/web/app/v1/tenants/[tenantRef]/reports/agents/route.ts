import { reportAgents } from '@clarion/core/report/agent-report';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('reportAgents', (ctx, { path, query }) =>
  reportAgents(ctx, path.tenantRef, query),
);
