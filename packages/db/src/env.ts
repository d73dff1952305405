/** Settings of this package's own programs. Other code receives its database from the caller. */
export function readEnv(): { databaseUrl: string | undefined; testDatabaseUrl: string | undefined } {
  return {
    databaseUrl: process.env['DATABASE_URL'],
    /** A PostgreSQL server for the tests instead of the embedded one; its role must be allowed to create databases. */
    testDatabaseUrl: process.env['CLARION_TEST_DATABASE_URL'],
  };
}
