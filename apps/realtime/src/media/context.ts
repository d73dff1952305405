/** What the handlers of media nodes' messages work with. */
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import type { LimitedWarnings } from '../lib/limited-warnings.ts';
import type { MediaNodes } from './nodes.ts';

export interface MediaContext {
  deps: Deps;
  nodes: MediaNodes;
  engine: CallEngine;
  warnings: LimitedWarnings;
  /** Counts the facts that were set aside, by kind. */
  onFactPutAside: (fact: string) => void;
}
