/** How to dial a customer on a line: on its trunk with numbers in the form that the trunk requires, or on WhatsApp. */
import { numberRules, techPrefixes, trunkQuirks } from '@clarion/protocol';
import type { Channel, SipTrunk, Tx } from '@clarion/db';
import { trunkCallLimitReached } from '../call-store/commit-step.ts';
import { calledOnTrunk, callerOnTrunk } from '../numbers/trunk-numbers.ts';
import type { DialPlan } from '../call-machine/state.ts';

type DialLine = Pick<
  Channel,
  | 'id'
  | 'type'
  | 'address'
  | 'displayName'
  | 'sipTrunkId'
  | 'backupSipTrunkId'
  | 'providerAccountId'
  | 'credentialsSealed'
>;

/** What places the calls of a line: its trunk, and another one if that cannot; or WhatsApp. */
export type Dialler =
  { provider: 'SIP'; trunk: SipTrunk; backup: SipTrunk | null } | { provider: 'WHATSAPP'; channelId: number };

/** Null: the line has no trunk, or no access token, so it cannot place calls. */
export async function diallerOf(tx: Tx, line: DialLine): Promise<Dialler | null> {
  if (line.type === 'WHATSAPP') {
    const canPlace = line.providerAccountId !== null && line.credentialsSealed !== null;
    return canPlace ? { provider: 'WHATSAPP', channelId: line.id } : null;
  }
  const ids = [line.sipTrunkId, line.backupSipTrunkId].filter((id) => id !== null);
  const trunks = ids.length === 0 ? [] : await tx.sipTrunk.findMany({ where: { id: { in: ids } } });
  const [trunk, backup = null] = ids.flatMap((id) => trunks.find((one) => one.id === id) ?? []);
  return trunk ? { provider: 'SIP', trunk, backup } : null;
}

/** For the call's row. */
export const trunkIdOf = (dialler: Dialler): number | null =>
  dialler.provider === 'SIP' ? dialler.trunk.id : null;

/** The trunks with a limit of concurrent calls that the call may use. */
export const limitedTrunkIdsOf = (dialler: Dialler): number[] =>
  trunksOf(dialler)
    .filter(({ maxCalls }) => maxCalls !== null)
    .map(({ id }) => id);

/** In the order in which they are tried. */
export const trunksOf = (dialler: Dialler): SipTrunk[] =>
  dialler.provider === 'SIP' ? [dialler.trunk, ...(dialler.backup ? [dialler.backup] : [])] : [];

/**
 * Without trunks that have reached their limit: the backup trunk then places the call alone.
 *
 * @throws 409 too_many_calls if none is left
 */
export function withoutTrunks(dialler: Dialler, fullTrunkIds: readonly number[]): Dialler {
  if (dialler.provider === 'WHATSAPP' || fullTrunkIds.length === 0) return dialler;
  const [trunk, backup = null] = trunksOf(dialler).filter(({ id }) => !fullTrunkIds.includes(id));
  if (!trunk) throw trunkCallLimitReached();
  return { ...dialler, trunk, backup };
}

/** With these of its trunks, in this order: at least one. */
export function inOrder(
  dialler: Extract<Dialler, { provider: 'SIP' }>,
  trunkIds: readonly (number | null)[],
): Dialler {
  const [trunk = dialler.trunk, backup = null] = trunkIds.flatMap(
    (id) => trunksOf(dialler).find((one) => one.id === id) ?? [],
  );
  return { ...dialler, trunk, backup };
}

/** @param address as stored with the call */
export function dialPlan(dialler: Dialler, line: DialLine, address: string): DialPlan {
  if (dialler.provider === 'WHATSAPP') return { ...dialler, address };
  const { trunk, backup } = dialler;
  return {
    provider: 'SIP',
    ...numbersOn(trunk, line, address),
    callerName: line.displayName,
    ...(backup && { backup: numbersOn(backup, line, address) }),
  };
}

export function numbersOn(
  trunk: SipTrunk,
  line: DialLine,
  address: string,
): { trunkId: number; called: string; caller: string } {
  const quirks = trunkQuirks.parse(trunk.quirks);
  return {
    trunkId: trunk.id,
    called: calledOnTrunk(address, {
      techPrefixes: techPrefixes.nullable().parse(trunk.techPrefixes),
      numberRules: numberRules.nullable().parse(trunk.numberRules),
      quirks,
    }),
    caller: callerOnTrunk(line.address, quirks),
  };
}
