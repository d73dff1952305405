import { User } from 'lucide-react';
import { classNames } from '../shared/class-names.ts';
import { ChannelBadge } from '../data/ChannelBadge.tsx';
import { customerNumber } from '../shared/customer-label.ts';
import { formatAddress, initialsOf } from './format.ts';
import type { PhoneCall } from './model.ts';

/** The customer's name, or else their number. */
export function callerTitle(call: PhoneCall): string {
  return call.customerName ?? callerNumber(call) ?? 'Unknown caller';
}

function callerNumber({ customerName: name, customerAddress, customerWithheld }: PhoneCall): string | null {
  const number = customerNumber({ name, address: customerAddress, addressWithheld: customerWithheld });
  return number === null ? null : formatAddress(number);
}

interface AvatarProps {
  call: PhoneCall;
  large?: boolean;
  small?: boolean;
}

export function Avatar({ call, large = false, small = false }: AvatarProps) {
  const initials = call.customerName === null ? null : initialsOf(call.customerName);
  return (
    <span
      aria-hidden
      className={classNames(
        'grid shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent',
        large ? 'size-24 text-2xl' : small ? 'size-13 text-lg' : 'size-16 text-xl',
      )}
    >
      {initials ?? <User className={large ? 'size-10' : 'size-7'} strokeWidth={1.75} />}
    </span>
  );
}

/** The caller's name, with the number below it. */
export function CallerName({ call }: { call: PhoneCall }) {
  const number = callerNumber(call);
  return (
    <div className="flex w-full min-w-0 flex-col items-center gap-1 text-center">
      <h2 className="line-clamp-2 w-full text-xl font-semibold text-balance [overflow-wrap:anywhere] text-ink">
        {callerTitle(call)}
      </h2>
      {call.customerName !== null && number !== null && (
        <p className="max-w-full text-base [overflow-wrap:anywhere] text-muted tabular-nums">{number}</p>
      )}
    </div>
  );
}

/** The customer, in one row. */
export function CallerCard({ call }: { call: PhoneCall }) {
  const parts = [call.customerName === null ? null : callerNumber(call), call.queue, call.line];
  return (
    <div className="flex w-full min-w-0 items-center gap-3.5">
      <Avatar call={call} small />
      <div className="min-w-0 flex-1">
        <h2 className="line-clamp-2 text-lg leading-snug font-semibold [overflow-wrap:anywhere] text-ink">
          {callerTitle(call)}
        </h2>
        <p className="flex min-w-0 items-center gap-1.5 text-sm text-muted tabular-nums">
          {call.channel && <ChannelBadge channel={call.channel} compact />}
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {parts.filter((part) => part !== null).join(' · ')}
          </span>
        </p>
      </div>
    </div>
  );
}

/** The channel, queue and line of a call. */
export function CallOrigin({ call: { channel, queue, line } }: { call: PhoneCall }) {
  const parts = [queue, line].filter((part) => part !== null);
  if (parts.length === 0 && !channel) return null;
  return (
    <div className="flex max-w-full flex-wrap items-center justify-center gap-x-2 gap-y-1 text-sm text-muted">
      {channel && <ChannelBadge channel={channel} />}
      <span className="min-w-0 truncate">{parts.join(' · ')}</span>
    </div>
  );
}
