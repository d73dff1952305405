import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../terminal/log.ts';
import type { Mode } from './production.ts';

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;
/** Secrets that may be set in the environment. */
const SETTABLE = ['CLARION_MASTER_KEY', 'CLARION_MEDIA_SECRET', 'CLARION_SIP_SECRET'] as const;

type SecretName = (typeof SETTABLE)[number] | 'postgresPassword';
export type Secrets = Record<SecretName, string>;

/**
 * Secrets are generated once into `secrets.json`; values from the environment take precedence and are not written to it. In production, a
 * master key in that file is refused: anyone who copied the data directory would have both the key and the data that it encrypts.
 */
export function readSecrets(
  dataDir: string,
  env: Record<string, string | undefined>,
  { production, reason }: Mode,
): Secrets {
  const file = join(dataDir, 'secrets.json');
  const exists = existsSync(file);
  // A file restored from a backup may be readable by other users.
  if (exists) chmodSync(file, OWNER_ONLY);
  const stored: Partial<Secrets> = exists ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const masterKey = env['CLARION_MASTER_KEY'];
  if (production && !masterKey) throw new UserError(masterKeyMissing(stored, file, reason));
  const complete: Partial<Secrets> = {
    ...stored,
    CLARION_MEDIA_SECRET: stored.CLARION_MEDIA_SECRET ?? randomSecret('base64url'),
    CLARION_SIP_SECRET: stored.CLARION_SIP_SECRET ?? randomSecret('base64url'),
    postgresPassword: stored.postgresPassword ?? randomSecret('base64url'),
  };
  if (!masterKey) complete.CLARION_MASTER_KEY ??= randomSecret('base64');
  if (Object.keys(complete).some((name) => stored[name as SecretName] === undefined)) {
    writeFileSync(file, `${JSON.stringify(complete, null, 2)}\n`, { mode: OWNER_ONLY });
  }
  for (const name of SETTABLE) {
    const set = env[name];
    if (set) complete[name] = set;
  }
  return complete as Secrets;
}

const randomSecret = (encoding: 'base64' | 'base64url') => randomBytes(SECRET_BYTES).toString(encoding);

function masterKeyMissing(
  { CLARION_MASTER_KEY: generated }: Partial<Secrets>,
  file: string,
  reason: string,
): string {
  const remedy = generated
    ? `${file} contains the key that was generated in trial mode. To keep the data it encrypts, set CLARION_MASTER_KEY to that key, or to a\n` +
      'new key, a comma and that key. Then remove it from the file and store it elsewhere.'
    : 'Set it to 32 random bytes in base64, for example from: openssl rand -base64 32';
  return (
    `CLARION_MASTER_KEY must be set in production. Clarion runs in production because ${reason}.\n${remedy}\n` +
    'To run in trial mode on this machine, leave CLARION_PRODUCTION unset and CLARION_BIND, CLARION_BASE_URL and CLARION_APP_URL\n' +
    'at their defaults.'
  );
}
