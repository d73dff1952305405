import { Badge } from '@clarion/ui';
import type { Tenant } from '#lib/dashboard/edit/resources.ts';

export const TenantStatus = ({ status }: Pick<Tenant, 'status'>) =>
  status === 'ACTIVE' ? (
    <Badge tone="positive" dot>
      Active
    </Badge>
  ) : (
    <Badge tone="warning" dot>
      Suspended
    </Badge>
  );
