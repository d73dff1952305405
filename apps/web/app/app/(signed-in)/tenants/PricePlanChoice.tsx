'use client';

import { FieldGroup, SelectField, TextLink } from '@clarion/ui';
import { useGet } from '#lib/dashboard/queries.ts';
import type { TenantDraft } from './TenantSettings.tsx';

const NONE = 'NONE';

interface PricePlanChoiceProps {
  draft: TenantDraft;
  change(changes: Partial<TenantDraft>): void;
}

/** What the tenant pays. Only owners see price plans. */
export function PricePlanChoice({ draft, change }: PricePlanChoiceProps) {
  const plans = useGet('/v1/price-plans', {}).data?.plans ?? [];
  return (
    <FieldGroup title="Prices">
      <SelectField
        name="price_plan_id"
        label="Price plan"
        hint={
          <>
            What the tenant pays you for new calls. Without a plan it is not charged.{' '}
            <TextLink href="/app/prices/plans">Price plans</TextLink>
          </>
        }
        choices={[
          { value: NONE, label: 'None' },
          ...plans.map(({ id, name, currency }) => ({ value: String(id), label: name, note: currency })),
        ]}
        value={draft.pricePlanId || NONE}
        onValueChange={(value) => change({ pricePlanId: value === NONE ? '' : value })}
      />
    </FieldGroup>
  );
}
