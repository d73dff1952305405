import { reportLive } from '@clarion/core/report/live-report';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('reportLive', (ctx, { path }) => reportLive(ctx, path.tenantRef));
