/** Whether this process can do its work: each dependency with its state; 503 while one of them is missing. */
import { realtimeUrl } from '../../env.ts';
import { runtime } from '#lib/api/runtime.ts';

export const dynamic = 'force-dynamic';

const PROBE_TIMEOUT_MS = 2_000;

type State = 'ok' | 'down';

async function stateOf(probe: () => Promise<unknown>): Promise<State> {
  const slow = new Promise<State>((resolve) => setTimeout(resolve, PROBE_TIMEOUT_MS, 'down').unref());
  const answered = probe().then(
    (): State => 'ok',
    (): State => 'down',
  );
  return Promise.race([answered, slow]);
}

export async function GET(): Promise<Response> {
  const { db, env } = runtime();
  const [database, realtime] = await Promise.all([
    stateOf(() => db.$queryRaw`select 1`),
    stateOf(async () => {
      const { ok, status } = await fetch(`${realtimeUrl(env)}/healthz`, {
        signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
      });
      if (!ok) throw new Error(`realtime answered ${status}`);
    }),
  ]);
  const ready = database === 'ok' && realtime === 'ok';
  return Response.json(
    { status: ready ? 'ok' : 'degraded', dependencies: { database, realtime } },
    { status: ready ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  );
}
