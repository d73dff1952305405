import pg from 'pg';

/** Creates the database in `url` if the server does not have it. */
export async function createDatabaseIfMissing(url: string): Promise<void> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  await onServer(url, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  });
}

/** Whether the server answers queries, which it does not while it starts or recovers. */
export async function isServing(url: string): Promise<boolean> {
  try {
    await onServer(url, (client) => client.query('select 1'));
    return true;
  } catch {
    return false;
  }
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const wanted = new URL(url);
  wanted.pathname = '/postgres';
  const client = new pg.Client({ connectionString: wanted.href });
  client.on('error', () => undefined); // if the server closes the connection, the query rejects
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
