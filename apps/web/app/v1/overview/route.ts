import { overview } from '@clarion/core/report/overview';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getOverview', async (ctx) => ({ overview: await overview(ctx) }));
