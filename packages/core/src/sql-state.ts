/** The SQLSTATE of a failed statement, whether it was sent by pg or by Prisma. */
import { Prisma } from '@clarion/db';
import { z } from 'zod';

/** Prisma's code of a raw statement that failed. */
const PRISMA_RAW_FAILURE = 'P2010';
const rawFailure = z.object({
  driverAdapterError: z.object({ cause: z.object({ originalCode: z.string() }) }),
});
const databaseError = z.object({ code: z.string().length(5), severity: z.string() });

/** Null for any other error, also for one of Prisma's own statements, which have codes of Prisma's. */
export function sqlStateOf(error: unknown): string | null {
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    if (error.code !== PRISMA_RAW_FAILURE) return null;
    return rawFailure.safeParse(error.meta).data?.driverAdapterError.cause.originalCode ?? null;
  }
  return databaseError.safeParse(error).data?.code ?? null;
}

const UNIQUE_VIOLATION = '23505';
const PRISMA_UNIQUE_VIOLATION = 'P2002';

export const isUniqueViolation = (error: unknown): boolean =>
  sqlStateOf(error) === UNIQUE_VIOLATION ||
  (error instanceof Prisma.PrismaClientKnownRequestError && error.code === PRISMA_UNIQUE_VIOLATION);
