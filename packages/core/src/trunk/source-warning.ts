/**
 * What the operator should know after a decision on a trunk that shares addresses with another owner's. A suspended trunk loses its
 * addresses to a trunk that is approved meanwhile.
 */
import type { SipTrunk } from '@clarion/db';
import type { OperatorCtx } from '../consumer/operator.ts';
import { sharingTrunks } from './shared-sources.ts';
import type { SharingTrunk } from './shared-sources.ts';

/** Null when no other owner is concerned. */
export async function sourceWarning(
  { db, settings }: Pick<OperatorCtx, 'db' | 'settings'>,
  trunk: SipTrunk,
): Promise<string | null> {
  const hasIngress = settings.ingressDomain !== null;
  if (trunk.status === 'ACTIVE' && !trunk.ingressHostOnly) {
    const former = await sharingTrunks(db, trunk, ['SUSPENDED', 'DISABLED']);
    return former.length === 0 ? null : tookOver(former, hasIngress);
  }
  if (trunk.status !== 'ACTIVE' && trunk.status !== 'DISABLED') return null;
  const active = await sharingTrunks(db, trunk, ['ACTIVE']);
  if (active.length === 0) return null;
  const shared = `Active trunks of other owners use some of these addresses: ${named(active)}.`;
  if (trunk.status === 'ACTIVE')
    return `${shared} This trunk receives only calls that are sent to its ingress host.`;
  return hasIngress
    ? `${shared} If this trunk is approved now, it receives only calls that are sent to its ingress host. Ask the carrier to use it.`
    : `${shared} This trunk cannot be approved until they are suspended or CLARION_INGRESS_DOMAIN is set.`;
}

const tookOver = (former: SharingTrunk[], hasIngress: boolean) =>
  `Inactive trunks of other owners use some of these addresses: ${named(former)}. ` +
  'Calls from these addresses are now matched with the lines of this trunk. ' +
  (hasIngress
    ? 'If the other trunks are approved again, they receive only calls that are sent to their ingress hosts.'
    : 'The other trunks cannot be approved again while this one is active, unless CLARION_INGRESS_DOMAIN is set.');

const named = (trunks: SharingTrunk[]) =>
  trunks.map(({ id, name, status }) => `${id} (${name}, ${status})`).join(', ');
