import { User } from 'lucide-react';
import { classNames } from '../shared/class-names.ts';
import { formatAddress, initialsOf } from './format.ts';
import type { PhoneCall } from './model.ts';

/** The best name there is: the customer's, else their number. */
export function callerTitle({ customerName, customerAddress }: PhoneCall): string {
  return customerName ?? (customerAddress === null ? 'Unknown caller' : formatAddress(customerAddress));
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

/** Who calls, and under the name their number when the name is not the number. */
export function CallerName({ call }: { call: PhoneCall }) {
  return (
    <div className="flex w-full min-w-0 flex-col items-center gap-1 text-center">
      <h2 className="line-clamp-2 w-full text-xl font-semibold text-balance [overflow-wrap:anywhere] text-ink">
        {callerTitle(call)}
      </h2>
      {call.customerName !== null && call.customerAddress !== null && (
        <p className="text-base text-muted tabular-nums">{formatAddress(call.customerAddress)}</p>
      )}
    </div>
  );
}

/** Who is on the line, in one row. */
export function CallerCard({ call }: { call: PhoneCall }) {
  const parts = [call.customerName !== null && call.customerAddress, call.queue, call.line];
  return (
    <div className="flex w-full min-w-0 items-center gap-3.5">
      <Avatar call={call} small />
      <div className="min-w-0 flex-1">
        <h2 className="line-clamp-2 text-lg leading-snug font-semibold [overflow-wrap:anywhere] text-ink">
          {callerTitle(call)}
        </h2>
        <p className="text-sm text-muted tabular-nums">
          {parts
            .filter((part) => typeof part === 'string')
            .map((part, index) => (index === 0 ? formatAddress(part) : part))
            .join(' · ')}
        </p>
      </div>
    </div>
  );
}

/** Where a call came in or goes out: queue and line. */
export function CallOrigin({ call }: { call: PhoneCall }) {
  const parts = [call.queue, call.line].filter((part) => part !== null);
  if (parts.length === 0) return null;
  return <p className="max-w-full truncate text-sm text-muted">{parts.join(' · ')}</p>;
}
