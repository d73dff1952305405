/**
 * The private table of graphile-worker's jobs, for what its public functions cannot do: to unlock the jobs of dead workers within seconds. A
 * new version may change it, so the version is pinned; when you upgrade it, test every statement that imports from here.
 *
 * Columns used: `locked_at`, `locked_by`.
 */
import { Prisma } from '../generated/client.ts';

/** For Prisma's tagged templates. */
export const privateJobs = Prisma.raw('graphile_worker._private_jobs');
