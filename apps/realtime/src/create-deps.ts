/** Creates the process's dependencies from its settings. */
import { randomUUID } from 'node:crypto';
import { createEgress } from '@clarion/core/egress/guard';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createDatabase } from '@clarion/db';
import { CORRECTED, DatabaseClock } from '@clarion/db/database-clock';
import type { Logger } from 'pino';
import { PostgresBoardFeed } from './board/board-feed.ts';
import type { Deps } from './deps.ts';
import type { Env } from './env.ts';

/** @param hostNow the clock of this host, in milliseconds; by default the real one */
export function createDeps(
  env: Env,
  log: Logger,
  hostNow?: () => number,
): { deps: Deps; clock: DatabaseClock } {
  const nodeId = `realtime-${randomUUID()}`;
  const db = createDatabase(env.databaseUrl);
  const clock = new DatabaseClock(db, {
    onCorrected: (correctionMs) => log.warn({ correctionMs }, CORRECTED),
    ...(hostNow && { hostNow }),
  });
  const deps = {
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
    now: clock.now,
  };
  return { deps, clock };
}
