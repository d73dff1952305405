/** Creates the process's dependencies from its settings. */
import { randomUUID } from 'node:crypto';
import { StepMemory } from '@clarion/core/call-engine/step-memory';
import { createTrunkCache } from '@clarion/core/call-engine/trunk-cache';
import { MemoryPrices } from '@clarion/core/price-book/memory-prices';
import { createEgress } from '@clarion/core/egress/guard';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createGraphClient } from '@clarion/core/whatsapp/graph-client';
import { createDatabase } from '@clarion/db';
import { CORRECTED, DatabaseClock } from '@clarion/db/database-clock';
import type { Logger } from 'pino';
import { PostgresBoardFeed } from './board/board-feed.ts';
import type { Deps } from './deps.ts';
import type { Env } from './env.ts';
import { createAgentRows } from './lib/agent-rows.ts';
import { createNames } from './lib/names.ts';
import type { CachedNames } from './lib/names.ts';
import { createOtherNodes } from './sockets/other-nodes.ts';
import type { OtherNodes } from './sockets/other-nodes.ts';

/** With the parts that notifications of changes must reach. */
export interface ProcessDeps extends Deps {
  boardFeed: PostgresBoardFeed;
  names: CachedNames;
  otherNodes: OtherNodes;
}

/**
 * @param isCurrent whether notifications of changes are being received: otherwise nothing cached is used
 * @param hostNow the clock of this host, in milliseconds; by default the real one
 */
export function createDeps(
  env: Env,
  log: Logger,
  isCurrent: () => boolean,
  hostNow?: () => number,
): { deps: ProcessDeps; clock: DatabaseClock } {
  const nodeId = `realtime-${randomUUID()}`;
  const db = createDatabase(env.databaseUrl);
  const otherNodes = createOtherNodes(db, nodeId, isCurrent);
  const clock = new DatabaseClock(db, {
    onCorrected: (correctionMs) => log.warn({ correctionMs }, CORRECTED),
    ...(hostNow && { hostNow }),
  });
  const egress = createEgress({ allowPrivate: env.allowPrivateEgress });
  const deps = {
    db,
    log,
    secrets: createSecretBox(env.masterKeys),
    egress,
    allowPrivateEgress: env.allowPrivateEgress,
    graph: createGraphClient({ egress, baseUrl: env.graphUrl }),
    nodeId,
    ingressDomain: env.ingressDomain,
    maxCallSeconds: env.maxCallSeconds,
    baseUrl: env.baseUrl,
    turn: env.turn,
    boardFeed: new PostgresBoardFeed(db, nodeId, otherNodes),
    names: createNames(db, isCurrent),
    agentRows: createAgentRows(db),
    otherNodes,
    trunks: createTrunkCache(isCurrent),
    prices: new MemoryPrices(db, {
      isCurrent,
      now: clock.now,
      onError: (err, deckId) => log.warn({ err, deckId }, 'a rate deck could not be read into memory'),
    }),
    memory: new StepMemory(),
    now: clock.now,
  };
  return { deps, clock };
}
