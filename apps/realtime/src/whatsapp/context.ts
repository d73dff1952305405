/** What the handling of WhatsApp calls works with. */
import type { MetaCall } from '@clarion/core/whatsapp/whatsapp-call';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import type { BackgroundWork } from '../lib/background-work.ts';
import type { MediaNodes } from '../media/nodes.ts';
import type { CountedGraph } from './counted-graph.ts';

export interface WhatsAppContext {
  deps: Deps;
  nodes: MediaNodes;
  engine: CallEngine;
  graph: CountedGraph;
  /** Requests to Meta, for which no other effect waits. */
  background: BackgroundWork;
  /** Called when a call that we placed has got its ID: webhooks of it may have waited for that. */
  onNamed: (call: MetaCall) => void;
}
