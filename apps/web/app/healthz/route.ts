/** Liveness: the process is running. */
export const dynamic = 'force-dynamic';

export const GET = () => Response.json({ status: 'ok' });
