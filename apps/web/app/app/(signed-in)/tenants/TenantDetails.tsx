import { DateTime, DescriptionList } from '@clarion/ui';
import type { ReactNode } from 'react';
import type { Tenant } from '#lib/dashboard/edit/resources.ts';
import { TenantStatus } from './TenantStatus.tsx';

export function TenantDetails({ tenant, children }: { tenant: Tenant; children?: ReactNode }) {
  const { counts } = tenant;
  return (
    <div className="flex flex-col gap-3">
      <DescriptionList
        items={[
          { term: 'Status', value: <TenantStatus status={tenant.status} /> },
          { term: 'Ref', value: <code className="font-mono">{tenant.ref}</code>, copy: tenant.ref },
          ...(counts === undefined
            ? []
            : [
                {
                  term: 'Contents',
                  value: `${some(counts.agents, 'agent')}, ${some(counts.queues, 'queue')}, ${some(counts.channels, 'line')}`,
                },
              ]),
          { term: 'Created', value: <DateTime at={tenant.createdAt} /> },
        ]}
      />
      {children !== undefined && <div className="flex flex-wrap gap-2">{children}</div>}
    </div>
  );
}

const some = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`;
