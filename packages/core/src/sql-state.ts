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

/** Connection exceptions, insufficient resources, and the shutdown or the start of the server (PostgreSQL's Appendix A). */
const UNAVAILABLE_STATES = /^(08|53|57P0)/;
/** Of Node's sockets. */
const SOCKET_FAILURES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'];
/** pg reports the loss of a connection, and a pool that has none left, by their messages alone. */
const LOST_CONNECTION = /^(Connection terminated|timeout exceeded when trying to connect)/;

/** True for an error of pg that says that the database could not be reached, not that it refused the statement. */
export const isUnavailable = (error: unknown): boolean =>
  UNAVAILABLE_STATES.test(sqlStateOf(error) ?? '') ||
  (error instanceof Error &&
    (LOST_CONNECTION.test(error.message) ||
      ('code' in error && SOCKET_FAILURES.some((code) => code === error.code))));
