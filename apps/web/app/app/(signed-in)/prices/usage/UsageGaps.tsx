import { Notice, TextLink } from '@clarion/ui';
import { gapsOf, type UsageRecord } from '#lib/dashboard/usage/usage-figures.ts';

/** What on this page lacks a price, and how to give it one. */
export function UsageGaps({ records }: { records: readonly UsageRecord[] }) {
  const { noCost, noCharge } = gapsOf(records);
  if (noCost + noCharge === 0) return null;
  return (
    <Notice title="Some of this usage has no price">
      {noCost > 0 && (
        <p>
          {noCost === 1 ? '1 call' : `${noCost} calls`} on this page without a carrier cost: set a buying deck
          on the <TextLink href="/app/trunks">SIP trunk</TextLink>, or add the missing prefixes to its deck.
        </p>
      )}
      {noCharge > 0 && (
        <p>
          {noCharge === 1 ? '1 record' : `${noCharge} records`} on this page without a charge: put the{' '}
          <TextLink href="/app/tenants">tenant</TextLink> on a price plan with an item that fits.
        </p>
      )}
      <p>Afterwards, price this period again.</p>
    </Notice>
  );
}
