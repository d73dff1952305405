/** What this package's own programs read; everything else is given its database by the caller. */
export function readEnv(): { databaseUrl: string | undefined; testDatabaseUrl: string | undefined } {
  return {
    databaseUrl: process.env['DATABASE_URL'],
    /** A server for the tests instead of the embedded one; its role must be allowed to create databases. */
    testDatabaseUrl: process.env['CLARION_TEST_DATABASE_URL'],
  };
}
