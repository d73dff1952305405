import { History, Phone, PhoneIncoming, PhoneMissed, PhoneOutgoing } from 'lucide-react';
import { ChannelBadge } from '../data/ChannelBadge.tsx';
import { EmptyState } from '../feedback/EmptyState.tsx';
import { classNames } from '../shared/class-names.ts';
import { callerTitle } from './Caller.tsx';
import { formatDuration } from './format.ts';
import type { PhoneCall, PhoneHistoryEntry } from './model.ts';

interface HistoryListProps {
  history: PhoneHistoryEntry[];
  /** Whether the customer of a call can be called now. */
  canCall(call: PhoneCall): boolean;
  onCallBack(entry: PhoneHistoryEntry): void;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Today's calls in this browser, newest first. */
export function HistoryList({ history, canCall, onCallBack }: HistoryListProps) {
  if (history.length === 0)
    return (
      <EmptyState icon={<History aria-hidden />} title="No calls today">
        Today’s calls appear here, with a button to call back.
      </EmptyState>
    );
  return (
    <ul className="flex flex-col p-2">
      {history.map((entry) => (
        <li
          key={entry.call.id}
          className="flex items-center gap-3 rounded-control py-2 pr-1 pl-2.5 hover:bg-raised"
        >
          <Direction entry={entry} />
          <div className="min-w-0 flex-1">
            <p
              className={classNames(
                'truncate text-base font-medium',
                entry.missed ? 'text-negative-text' : 'text-ink',
              )}
            >
              {callerTitle(entry.call)}
            </p>
            <p className="flex min-w-0 items-center gap-1.5 text-sm text-muted tabular-nums">
              {entry.call.channel && <ChannelBadge channel={entry.call.channel} compact />}
              <span className="min-w-0 truncate">{detailsOf(entry)}</span>
            </p>
            {entry.note !== '' && <p className="line-clamp-2 text-sm text-ink">{entry.note}</p>}
          </div>
          {canCall(entry.call) && (
            <button
              type="button"
              aria-label={`Call ${callerTitle(entry.call)}`}
              title="Call"
              className="cl-focus grid size-11 shrink-0 place-items-center rounded-full text-positive transition-colors hover:bg-positive-soft"
              onClick={() => onCallBack(entry)}
            >
              <Phone className="size-5" aria-hidden />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function detailsOf({ call, at, talkedSeconds, missed }: PhoneHistoryEntry): string {
  const length = missed ? 'missed' : talkedSeconds === 0 ? 'not answered' : formatDuration(talkedSeconds);
  return [clock.format(at), length, call.queue ?? call.line].filter((part) => part !== null).join(' · ');
}

function Direction({ entry: { call, missed } }: { entry: PhoneHistoryEntry }) {
  const Icon = missed ? PhoneMissed : call.direction === 'INBOUND' ? PhoneIncoming : PhoneOutgoing;
  const label = missed ? 'Missed' : call.direction === 'INBOUND' ? 'Inbound' : 'Outbound';
  return (
    <span role="img" aria-label={label} className={missed ? 'text-negative-text' : 'text-muted'}>
      <Icon className="size-4.5" aria-hidden />
    </span>
  );
}
