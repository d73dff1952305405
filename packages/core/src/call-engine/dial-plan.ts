/** How to dial a customer on a line: on its trunk with numbers in the form that the trunk requires, or on WhatsApp. */
import { numberRules, techPrefixes, trunkQuirks } from '@clarion/protocol';
import type { Channel, SipTrunk, Tx } from '@clarion/db';
import { calledOnTrunk, callerOnTrunk } from '../numbers/trunk-numbers.ts';
import type { DialPlan } from '../call-machine/state.ts';

type DialLine = Pick<
  Channel,
  'id' | 'type' | 'address' | 'displayName' | 'sipTrunkId' | 'providerAccountId' | 'credentialsSealed'
>;

/** What places the calls of a line: its trunk, or WhatsApp. */
export type Dialler = { provider: 'SIP'; trunk: SipTrunk } | { provider: 'WHATSAPP'; channelId: number };

/** Null: the line has no trunk, or no access token, so it cannot place calls. */
export async function diallerOf(tx: Tx, line: DialLine): Promise<Dialler | null> {
  if (line.type === 'WHATSAPP') {
    const canPlace = line.providerAccountId !== null && line.credentialsSealed !== null;
    return canPlace ? { provider: 'WHATSAPP', channelId: line.id } : null;
  }
  const trunk =
    line.sipTrunkId === null ? null : await tx.sipTrunk.findUnique({ where: { id: line.sipTrunkId } });
  return trunk && { provider: 'SIP', trunk };
}

/** For the call's row. */
export const trunkIdOf = (dialler: Dialler): number | null =>
  dialler.provider === 'SIP' ? dialler.trunk.id : null;

/** @param address as stored with the call */
export function dialPlan(dialler: Dialler, line: DialLine, address: string): DialPlan {
  if (dialler.provider === 'WHATSAPP') return { ...dialler, address };
  const { trunk } = dialler;
  const quirks = trunkQuirks.parse(trunk.quirks);
  const prefixes = trunk.techPrefixes === null ? null : techPrefixes.parse(trunk.techPrefixes);
  return {
    provider: 'SIP',
    trunkId: trunk.id,
    called: calledOnTrunk(address, {
      techPrefixes: prefixes,
      numberRules: numberRules.nullable().parse(trunk.numberRules),
      quirks,
    }),
    caller: callerOnTrunk(line.address, quirks),
    callerName: line.displayName,
  };
}
