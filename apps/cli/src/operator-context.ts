/** A database connection and an operator context for one program run. */
import { createDatabase } from '@clarion/db';
import pino from 'pino';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createStore } from '@clarion/store/store';
import type { CliEnv } from './env.ts';

/** One for the command's transaction, and one for queries outside it. */
const CONNECTIONS = 2;

export async function withOperator<T>(env: CliEnv, work: (ctx: OperatorCtx) => Promise<T>): Promise<T> {
  const db = createDatabase(env.databaseUrl, { connections: CONNECTIONS });
  const secrets = createSecretBox(env.masterKeys);
  try {
    return await work({
      actor: { kind: 'operator', id: env.operator },
      surface: 'cli',
      db,
      now: new Date(),
      log: pino({ level: 'silent' }),
      secrets,
      store: createStore(env.store, { secrets, baseUrl: env.baseUrl }),
      settings: {
        baseUrl: env.baseUrl,
        appUrl: env.appUrl,
        ingressDomain: env.ingressDomain,
        allowPrivateEgress: env.allowPrivateEgress,
        operatorName: env.operatorName,
      },
    });
  } finally {
    await db.$disconnect();
  }
}
