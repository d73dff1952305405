import { Badge } from '@clarion/ui';
import type { WebhookEvent } from '#lib/dashboard/edit/resources.ts';
import { statusTones, statusLabels } from './event-types.ts';

export function EventStatusBadge({ event: { status, attempts } }: { event: WebhookEvent }) {
  const retrying = status === 'PENDING' && attempts.length > 0;
  return (
    <Badge tone={retrying ? 'warning' : statusTones[status]} dot>
      {retrying ? 'Retrying' : statusLabels[status]}
    </Badge>
  );
}
