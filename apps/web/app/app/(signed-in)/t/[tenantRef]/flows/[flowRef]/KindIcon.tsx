import type { IvrNodeType } from '@clarion/protocol/ivr/structure';
import { Box, Clock, Grid3x3, Hash, PhoneIncoming, PhoneOff, Volume2, Waypoints } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';

const icons: Partial<Record<IvrNodeType, LucideIcon>> = {
  ivr_start: PhoneIncoming,
  ivr_menu: Grid3x3,
  ivr_transfer: Waypoints,
  ivr_play: Volume2,
  ivr_gather: Hash,
  ivr_hours: Clock,
  ivr_hangup: PhoneOff,
};

/** The icon of a node type, or a box. */
export function KindIcon({ type, className = 'size-4' }: { type: IvrNodeType; className?: string }) {
  const Icon = icons[type] ?? Box;
  return <Icon className={className} aria-hidden />;
}
