/** The environment of an operator's commands in tests: settings, a database and an empty directory. `end` removes them. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@clarion/db/testing';
import type { CliEnv } from '../env.ts';

export interface OperatorFixture {
  env: CliEnv;
  dir: string;
  end(): Promise<void>;
}

export async function openOperatorFixture(): Promise<OperatorFixture> {
  const database = await createTestDatabase();
  const dir = mkdtempSync(join(tmpdir(), 'clarion-operator-'));
  return {
    env: cliEnv(dir, { databaseUrl: database.url }),
    dir,
    async end() {
      await database.drop();
      rmSync(dir, { recursive: true });
    },
  };
}

export const cliEnv = (dir: string, change: Partial<CliEnv> = {}): CliEnv => ({
  databaseUrl: '',
  masterKeys: [randomBytes(32).toString('base64')],
  baseUrl: 'http://127.0.0.1:3000',
  appUrl: 'http://127.0.0.1:3000',
  ingressDomain: 'sip.example.com',
  allowPrivateEgress: true,
  operatorName: 'Operator',
  store: { provider: 'local', dataDir: dir, s3: null },
  demoFile: join(dir, 'demo.json'),
  demoFarEndPort: 5091,
  metaSimulator: true,
  demoHistory: false,
  operator: 'test',
  ...change,
});
