/** Which constraint a write violated, so that the error can be translated next to the write. */
import { Prisma } from '@clarion/db';
import { z } from 'zod';

/** Prisma's codes for a unique constraint and a foreign key. */
const CONSTRAINT_CODES = ['P2002', 'P2003'];

const meta = z.object({
  driverAdapterError: z.object({ cause: z.object({ constraint: z.object({ index: z.string() }) }) }),
});

/** The constraint's name in the database, such as `Consumer_slug_key`; null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return null;
  if (!CONSTRAINT_CODES.includes(error.code)) return null;
  return meta.safeParse(error.meta).data?.driverAdapterError.cause.constraint.index ?? null;
}
