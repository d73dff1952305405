export interface PostgresCommand {
  url: string;
  command: string;
  args: string[];
  uid?: number;
  gid?: number;
  pgdata: string;
}
export function preparePostgres(options: {
  dir: string;
  password: string;
  settings?: Record<string, string>;
}): Promise<PostgresCommand>;
export function postmasterPid(pgdata: string): number | undefined;
export function guardPostgres(pgdata: string): { release(): Promise<void> };
export function runPostgres(
  prepared: PostgresCommand,
): Promise<{ url: string; stop(signal?: NodeJS.Signals): Promise<void> }>;
export function startTemporaryPostgres(options?: {
  settings?: Record<string, string>;
}): Promise<{ url: string; stop(): Promise<void> }>;
export function createDatabaseIfMissing(url: string): Promise<void>;
export function isServing(url: string): Promise<boolean>;
