/** ROUND_ROBIN: one agent at a time, connected before asleep, longest idle first; agents who missed this call come after those who did not. */
import { compareIdle, missedBy, oneAgentEach } from '../snapshot.ts';
import type { Strategy } from '../snapshot.ts';

export const roundRobin: Strategy = (snapshot) =>
  oneAgentEach(
    snapshot,
    (call, a, b) => missedBy(call, a.agentId) - missedBy(call, b.agentId) || compareIdle(a, b),
  );
