/** Creates the process's dependencies from its settings. */
import { randomUUID } from 'node:crypto';
import { createEgress } from '@clarion/core/egress/guard';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createDatabase } from '@clarion/db';
import type { Logger } from 'pino';
import { PostgresBoardFeed } from './board/board-feed.ts';
import type { Deps } from './deps.ts';
import type { Env } from './env.ts';

export function createDeps(env: Env, log: Logger): Deps {
  const nodeId = `realtime-${randomUUID()}`;
  const db = createDatabase(env.databaseUrl);
  return {
    db,
    log,
    secrets: createSecretBox(env.masterKeys),
    egress: createEgress({ allowPrivate: env.allowPrivateEgress }),
    nodeId,
    ingressDomain: env.ingressDomain,
    maxCallSeconds: env.maxCallSeconds,
    baseUrl: env.baseUrl,
    turn: env.turn,
    boardFeed: new PostgresBoardFeed(db),
    now: () => new Date(),
  };
}
