import { Ear, Headphones, Users } from 'lucide-react';
import { useEffect } from 'react';
import { ChannelBadge } from '../data/ChannelBadge.tsx';
import { EmptyState } from '../feedback/EmptyState.tsx';
import { Spinner } from '../shared/Spinner.tsx';
import { useNow } from '../shared/use-now.ts';
import { formatDuration } from './format.ts';
import type { PhoneActions, PhoneTeam, TeamCall, TeamQueue } from './model.ts';

const SECOND_MS = 1_000;

interface TeamViewProps {
  team: PhoneTeam;
  actions: Pick<PhoneActions, 'watchTeam' | 'monitor'>;
}

/** The team's live calls and queues, subscribed to while shown. */
export function TeamView({ team, actions: { watchTeam, monitor } }: TeamViewProps) {
  const now = useNow(SECOND_MS);
  useEffect(() => {
    watchTeam(true);
    return () => watchTeam(false);
  }, [watchTeam]);

  const { board, modes } = team;
  if (board === null)
    return (
      <p className="flex items-center gap-2 p-5 text-base text-muted">
        <Spinner /> Loading team
      </p>
    );
  const mode = modes.includes('listen') ? 'listen' : modes[0];
  return (
    <div className="flex flex-col gap-4 p-4">
      {board.queues.length > 0 && (
        <section aria-label="Queues" className="flex flex-col gap-1.5">
          <h2 className="text-sm font-medium text-muted">Queues</h2>
          <ul className="flex flex-col gap-1.5">
            {board.queues.map((queue) => (
              <QueueRow key={queue.id} queue={queue} now={now} />
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Live calls" className="flex flex-col gap-1.5">
        <h2 className="text-sm font-medium text-muted">Live calls</h2>
        {board.calls.length === 0 ? (
          <EmptyState icon={<Users aria-hidden />} title="No live calls" className="py-6">
            {mode === undefined
              ? 'Your team’s live calls appear here.'
              : 'Your team’s live calls appear here, and you can listen to them.'}
          </EmptyState>
        ) : (
          <ul className="flex flex-col gap-1.5">
            {board.calls.map((call) => (
              <CallRow
                key={call.id}
                call={call}
                now={now}
                listening={team.monitor?.callId === call.id}
                onListen={mode === undefined ? null : () => monitor(call.id, mode)}
              />
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

function QueueRow({ queue, now }: { queue: TeamQueue; now: number }) {
  const { name, waiting, available, onCall, longestWaitingSince } = queue;
  return (
    <li className="flex items-center gap-3 rounded-control bg-raised px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="truncate text-base font-medium text-ink">{name}</p>
        <p className="truncate text-sm text-muted">
          {available} available · {onCall} on a call
        </p>
      </div>
      <p className="shrink-0 text-right text-sm text-muted tabular-nums">
        <span className="block text-base font-semibold text-ink">{waiting} waiting</span>
        {longestWaitingSince !== null && `longest ${formatDuration((now - longestWaitingSince) / 1000)}`}
      </p>
    </li>
  );
}

interface CallRowProps {
  call: TeamCall;
  now: number;
  listening: boolean;
  onListen: (() => void) | null;
}

function CallRow({ call, now, listening, onListen }: CallRowProps) {
  const { customer, channel, agent, queue, state, held, since, direction, listeners } = call;
  const label = { waiting: 'Waiting', ringing: 'Ringing', active: 'Talking' }[state];
  const who = agent ?? (queue === null ? 'in an IVR flow' : `in ${queue}`);
  return (
    <li className="flex items-center gap-2 rounded-control border border-line px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="truncate text-base font-medium text-ink">
          {customer} <span className="font-normal text-muted">{direction === 'INBOUND' ? '→' : '←'}</span>{' '}
          {who}
        </p>
        <p className="flex min-w-0 items-center gap-1.5 text-sm text-muted tabular-nums">
          <ChannelBadge channel={channel} compact />
          <span className="min-w-0 truncate">
            {label} {formatDuration((now - since) / 1000)}
            {held && ' · On hold'}
            {listeners.length > 0 &&
              ` · ${listening ? 'Also listening' : 'Listening'}: ${listeners.join(', ')}`}
          </span>
        </p>
      </div>
      {state === 'active' && onListen && !listening && (
        <button
          type="button"
          aria-label={`Listen to ${customer} and ${who}`}
          title="Listen"
          className="cl-focus grid size-11 shrink-0 place-items-center rounded-full text-accent transition-colors hover:bg-accent-soft"
          onClick={onListen}
        >
          <Headphones className="size-5" aria-hidden />
        </button>
      )}
      {listening && (
        <span role="img" aria-label="You are listening" className="shrink-0 p-3 text-positive">
          <Ear className="size-5" aria-hidden />
        </span>
      )}
    </li>
  );
}
