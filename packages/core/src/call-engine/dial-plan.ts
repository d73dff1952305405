/** How to dial a customer on a trunk: numbers in the form that the trunk requires. */
import { techPrefixes, trunkQuirks } from '@clarion/protocol';
import type { SipTrunk } from '@clarion/db';
import { calledOnTrunk, callerOnTrunk } from '../numbers/trunk-numbers.ts';
import type { DialPlan } from '../call-machine/state.ts';

export function dialPlan(
  trunk: SipTrunk,
  line: { address: string; displayName: string | null },
  address: string,
): DialPlan {
  const quirks = trunkQuirks.parse(trunk.quirks);
  const prefixes = trunk.techPrefixes === null ? null : techPrefixes.parse(trunk.techPrefixes);
  return {
    trunkId: trunk.id,
    called: calledOnTrunk(address, { techPrefixes: prefixes, quirks }),
    caller: callerOnTrunk(line.address, quirks),
    callerName: line.displayName,
  };
}
