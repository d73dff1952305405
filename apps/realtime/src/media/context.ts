/** What the handlers of media nodes' messages work with. */
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import type { Forwards } from './forwards.ts';
import type { LadderWriter } from './ladder-writer.ts';
import type { LateLegEnds } from './late-leg-ends.ts';
import type { LimitedWarnings } from '../lib/limited-warnings.ts';
import type { MediaNodes } from './nodes.ts';

/** How late this node is (background/load-monitor.ts). */
export interface NodeLoad {
  /** Why new calls are rejected; null: they are accepted. */
  readonly overload: string | null;
  readonly eventLoopDelayMs: number;
}

export interface MediaContext {
  deps: Deps;
  nodes: MediaNodes;
  engine: CallEngine;
  forwards: Forwards;
  ladders: LadderWriter;
  lateLegEnds: LateLegEnds;
  warnings: LimitedWarnings;
  /** Counts the facts that were set aside, by kind. */
  onFactPutAside: (fact: string) => void;
  load: NodeLoad;
  /** Counts the INVITEs that were rejected or left undecided because of load, by reason. */
  onInviteRefused: (reason: string) => void;
}
