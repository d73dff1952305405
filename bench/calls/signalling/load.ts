/** The load without audio, in a process of its own so that its CPU is counted separately. Its parent's side is load-process.ts. */
import { Agents } from './agents.ts';
import { Placing, type Load, type PlacedLoad, type Site } from './place.ts';

export type Request =
  | { do: 'connect'; site: Site; tokens: string[] }
  | { do: 'leave waiting'; calls: number }
  | { do: 'place'; load: Load }
  | { do: 'close' };

export interface LoadResult extends PlacedLoad {
  /** Offers to an agent who had another call. */
  doubleOffers: number;
  failures: string[];
}

export interface Reply {
  result?: LoadResult;
  error?: string;
}

const FAILURES_REPORTED = 5;
const agents = new Agents();
let placing: Placing | null = null;

async function handle(request: Request): Promise<LoadResult | undefined> {
  if (request.do === 'connect') {
    await agents.connect(request.site.url, request.tokens);
    placing ??= await Placing.open(request.site, agents);
  } else if (request.do === 'place') {
    if (!placing) throw new Error('not connected');
    const result = await placing.run(request.load);
    const failures = agents.failures.slice(0, FAILURES_REPORTED);
    return { ...result, doubleOffers: agents.doubleOffers, failures };
  } else if (request.do === 'leave waiting') {
    await placing?.leaveWaiting(request.calls);
  } else {
    placing?.close();
    agents.close();
  }
  return undefined;
}

process.on('message', (request: Request) => {
  handle(request)
    .then(
      (result): Reply => ({ ...(result ? { result } : {}) }),
      (error: unknown): Reply => ({ error: error instanceof Error ? error.message : String(error) }),
    )
    .then((reply) => {
      process.send?.(reply);
      if (request.do === 'close') process.disconnect();
    })
    .catch(() => process.exit(1));
});
