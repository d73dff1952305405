/** Figures of one load. */
import { WORKER } from '../report.ts';
import type { Used } from './meter.ts';
import type { Placed } from './place.ts';

const NOT_SERVICE = [WORKER, 'load'];

export const statementsOf = ({ statements }: Used) =>
  Object.values(statements).reduce((sum, count) => sum + count.statements, 0);
export const commitsOf = ({ statements }: Used) =>
  Object.values(statements).reduce((sum, count) => sum + count.commits, 0);
/** Of the service: without mediasoup and the load. */
export const cpuMsOf = ({ cpuMs }: Used) =>
  Object.entries(cpuMs).reduce((sum, [name, value]) => (NOT_SERVICE.includes(name) ? sum : sum + value), 0);

export const waits = (placed: Placed[], moment: 'offeredAt' | 'answeredAt' | 'refusedAt'): number[] =>
  placed.flatMap((call) => {
    const at = call[moment];
    return at === null ? [] : [at - call.inviteAt];
  });

/** How long a call and the agent to whom it was offered waited for each other although both could have been brought together. */
export const offerDelays = (placed: Placed[]): number[] =>
  placed.flatMap(({ inviteAt, offeredAt, agentIdleSince }) =>
    offeredAt === null ? [] : [offeredAt - Math.max(inviteAt, agentIdleSince ?? inviteAt)],
  );

/** Calls that were first offered before an earlier one. */
export function overtaking(placed: Placed[]): number {
  const offered = placed.filter((call) => call.offeredAt !== null);
  const byOffer = offered.toSorted((a, b) => (a.offeredAt ?? 0) - (b.offeredAt ?? 0));
  let latest = -Infinity;
  let overtaken = 0;
  for (const { inviteAt } of byOffer) {
    if (inviteAt < latest) overtaken += 1;
    latest = Math.max(latest, inviteAt);
  }
  return overtaken;
}

export const outcomes = (placed: Placed[]): Record<Placed['outcome'], number> => ({
  'as planned': placed.filter(({ outcome }) => outcome === 'as planned').length,
  refused: placed.filter(({ outcome }) => outcome === 'refused').length,
  failed: placed.filter(({ outcome }) => outcome === 'failed').length,
});
