'use client';

import { DateRangeField, SelectField } from '@clarion/ui';
import { dayPresets } from '#lib/dashboard/calls/days.ts';
import { useGet } from '#lib/dashboard/queries.ts';
import type { UsageView } from './use-usage.ts';

const ANY = '';

export function UsageFilters({ view }: { view: UsageView }) {
  const { data } = useGet('/v1/tenants', {});
  return (
    <div className="flex flex-wrap items-center gap-2" role="search" aria-label="Usage filters">
      <DateRangeField
        {...view.days}
        presets={dayPresets(view.now)}
        onChange={({ from, to }) => view.url.set({ from, to, page: null })}
      />
      <SelectField
        label="Tenant"
        hideLabel
        className="min-w-40 max-sm:flex-1"
        placeholder="All tenants"
        value={view.tenantRef}
        choices={[
          { value: ANY, label: 'All tenants' },
          ...(data?.tenants ?? []).map(({ ref, name }) => ({ value: ref, label: name })),
        ]}
        onValueChange={(tenant) => view.url.set({ tenant, page: null })}
      />
    </div>
  );
}
