/** The addresses of pages about trunks, and which trunks have a page. */
import type { OwnTrunk, Trunk } from '../edit/resources.ts';
import { tenantHome } from '../navigation.tsx';

/** Without its settings, a trunk is the operator's, or is shown to somebody who may see one tenant only. */
export const isOwn = (trunk: Trunk): trunk is OwnTrunk => 'host' in trunk;

export const trunkHref = ({ id }: { id: number }): string => `/app/trunks/${id}`;

/** The settings of a trunk with this field focused. */
export const trunkFieldHref = (id: number, field: string): string =>
  `/app/trunks/${id}?${new URLSearchParams({ tab: 'settings', field })}`;

/** The line of an assigned number, opened in its list. Null: the number has none. */
export const lineHref = ({
  tenantRef,
  channelRef,
}: {
  tenantRef: string | null;
  channelRef: string | null;
}): string | null =>
  tenantRef === null || channelRef === null
    ? null
    : `${tenantHome(tenantRef)}/lines?${new URLSearchParams({ open: channelRef })}`;

/** A new line with this trunk and, if it is known, this number. */
export const newLineHref = (tenantRef: string, trunkId: number, number: string | null = null): string =>
  `${tenantHome(tenantRef)}/lines?${new URLSearchParams({ new: '1', trunk: String(trunkId), ...(number !== null && { number }) })}`;
