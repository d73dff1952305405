import { Badge } from '@clarion/ui';
import { trunkStatusTexts, type TrunkStatus } from './trunk-status.ts';

export function TrunkStatusBadge({ status }: { status: TrunkStatus }) {
  const { label, tone } = trunkStatusTexts[status];
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  );
}
