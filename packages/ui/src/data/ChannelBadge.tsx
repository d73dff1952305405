import { MessageCircle, Phone } from 'lucide-react';
import { classNames } from '../shared/class-names.ts';
import { Badge } from './Badge.tsx';

/** The kind of line that a call uses, as the API names it. */
export type CallChannel = 'SIP' | 'WHATSAPP';

export const channelName = (channel: CallChannel): string => (channel === 'SIP' ? 'Phone' : 'WhatsApp');

const icons = { SIP: Phone, WHATSAPP: MessageCircle };

export interface ChannelBadgeProps {
  channel: CallChannel;
  /** Only the icon, where many calls are listed. Screen readers and a tooltip still name the channel. */
  compact?: boolean;
  className?: string;
}

/** Whether a call or a line is a phone call or a WhatsApp call. */
export function ChannelBadge({ channel, compact = false, className }: ChannelBadgeProps) {
  const Icon = icons[channel];
  const name = channelName(channel);
  if (compact) {
    return (
      <span
        role="img"
        aria-label={name}
        title={name}
        className={classNames(
          'inline-flex shrink-0',
          channel === 'WHATSAPP' ? 'text-positive' : 'text-muted',
          className,
        )}
      >
        <Icon className="size-3.5" aria-hidden />
      </span>
    );
  }
  return (
    <Badge
      tone={channel === 'WHATSAPP' ? 'positive' : 'neutral'}
      icon={<Icon className="size-3.5 shrink-0" aria-hidden />}
      {...(className !== undefined && { className })}
    >
      {name}
    </Badge>
  );
}
