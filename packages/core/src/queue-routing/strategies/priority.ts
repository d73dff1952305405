/** PRIORITY: one agent at a time, the lowest number first, then the longest idle; after a missed offer the next agent. */
import { missedBy, oneAgentEach } from '../snapshot.ts';
import type { Strategy } from '../snapshot.ts';

export const priority: Strategy = (snapshot) =>
  oneAgentEach(
    snapshot,
    (call, a, b) =>
      missedBy(call, a.agentId) - missedBy(call, b.agentId) ||
      a.priority - b.priority ||
      a.idleSince - b.idleSince ||
      a.agentId - b.agentId,
  );
