import { reportCalls } from '@clarion/core/report/call-report';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('reportCalls', (ctx, { path, query }) => reportCalls(ctx, path.tenantRef, query));
