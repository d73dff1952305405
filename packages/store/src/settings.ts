/** The settings of the store, the same in every process that uses it. */
import { resolve } from 'node:path';
import { z } from 'zod';
import type { StorageProvider } from './driver.ts';

const text = z
  .string()
  .optional()
  .transform((value) => value || null);

/** To be spread into an app's env schema. */
export const storeEnvShape = {
  CLARION_DATA_DIR: z.string().default('.clarion'),
  /** local, s3 or none; empty: s3 if a bucket is named, otherwise local. */
  CLARION_STORE: z.enum(['local', 's3', 'none', '']).default(''),
  S3_BUCKET: text,
  /** Null: Amazon's own endpoint for the region. */
  S3_ENDPOINT: text,
  S3_REGION: text,
  /** Both null: the credentials that the machine provides to its programs (such as an instance role). */
  S3_ACCESS_KEY_ID: text,
  S3_SECRET_ACCESS_KEY: text,
};
const storeEnv = z.object(storeEnvShape);
export type StoreEnv = z.output<typeof storeEnv>;

export interface S3Settings {
  bucket: string;
  endpoint: string | null;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
}

export interface StoreSettings {
  provider: StorageProvider | null;
  dataDir: string;
  /** Set whenever a bucket is named, even if new files are stored elsewhere. */
  s3: S3Settings | null;
}

const DEFAULT_REGION = 'us-east-1';

/** @throws Error naming the missing setting */
export function storeSettings(env: StoreEnv): StoreSettings {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret } = env;
  const chosen = env.CLARION_STORE || (bucket === null ? 'local' : 's3');
  if (chosen === 's3' && bucket === null) throw new Error('S3_BUCKET must be set if CLARION_STORE is s3');
  if ((id === null) !== (secret === null)) {
    throw new Error('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together');
  }
  return {
    provider: chosen === 'none' ? null : chosen,
    dataDir: resolve(env.CLARION_DATA_DIR),
    s3: bucket === null ? null : { bucket, ...s3Details(env) },
  };
}

function s3Details(env: StoreEnv): Omit<S3Settings, 'bucket'> {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  return {
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION ?? DEFAULT_REGION,
    credentials: accessKeyId !== null && secretAccessKey !== null ? { accessKeyId, secretAccessKey } : null,
  };
}

/** For a program without its own env schema. */
export const readStoreSettings = (env: Record<string, string | undefined>): StoreSettings =>
  storeSettings(storeEnv.parse(env));
