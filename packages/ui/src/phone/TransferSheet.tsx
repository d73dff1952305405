import { Search, Users } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '../actions/Button.tsx';
import { Spinner } from '../shared/Spinner.tsx';
import { focusedNear } from './focus.ts';
import { initialsOf } from './format.ts';
import type { PhoneActions, PhoneColleague, PhoneQueue, TransferChoices, TransferTarget } from './model.ts';
import { Sheet } from './Sheet.tsx';
import { matchingChoices } from './transfer-search.ts';

interface TransferSheetProps {
  transferChoices: PhoneActions['transferChoices'];
  onTransfer(target: TransferTarget): void;
  onClose(): void;
}

type Loaded = { at: 'loading' } | { at: 'failed' } | { at: 'here'; choices: TransferChoices };

/** Selects the target of a transfer by typing, clicking or with the arrow keys. */
export function TransferSheet({ transferChoices, onTransfer, onClose }: TransferSheetProps) {
  const [loaded, setLoaded] = useState<Loaded>({ at: 'loading' });
  const [round, setRound] = useState(0);
  const [search, setSearch] = useState('');
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let over = false;
    setLoaded({ at: 'loading' });
    transferChoices().then(
      (choices) => over || setLoaded({ at: 'here', choices }),
      () => over || setLoaded({ at: 'failed' }),
    );
    return () => {
      over = true;
    };
  }, [transferChoices, round]);

  const found = loaded.at === 'here' ? matchingChoices(loaded.choices, search) : null;
  const first: TransferTarget | null = found?.[0] ? { kind: found[0].kind, id: found[0].choice.id } : null;

  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || !list.current) return;
    event.preventDefault();
    const rows = [...list.current.querySelectorAll<HTMLElement>('button')];
    const focused = focusedNear(list.current);
    const at = rows.findIndex((row) => row === focused);
    rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
  };

  return (
    <Sheet title="Transfer call" onClose={onClose}>
      <form
        role="search"
        className="relative"
        onSubmit={(event) => {
          event.preventDefault();
          if (first && search.trim() !== '') onTransfer(first);
        }}
      >
        <Search
          className="pointer-events-none absolute top-1/2 left-3.5 size-4 -translate-y-1/2 text-muted"
          aria-hidden
        />
        <input
          data-autofocus
          type="search"
          aria-label="Search colleagues and queues"
          placeholder="Search colleagues and queues"
          autoComplete="off"
          className="cl-focus min-h-11 w-full rounded-control border border-line-strong bg-surface pr-3 pl-10 text-base text-ink placeholder:text-muted"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={move}
        />
      </form>
      {loaded.at === 'loading' && (
        <p className="flex items-center gap-2 text-base text-muted">
          <Spinner /> Loading colleagues and queues
        </p>
      )}
      {loaded.at === 'failed' && (
        <div className="flex flex-col items-start gap-2 text-base text-ink">
          <p>The list could not be loaded. Check your connection and try again.</p>
          <Button size="lg" onClick={() => setRound(round + 1)}>
            Try again
          </Button>
        </div>
      )}
      {found && (
        <div
          ref={list}
          role="group"
          aria-label="Colleagues and queues"
          className="-mx-2 flex flex-col"
          onKeyDown={move}
        >
          {found.map((one) => (
            <button
              key={`${one.kind}-${one.choice.id}`}
              type="button"
              disabled={one.kind === 'agent' && one.choice.state === 'offline'}
              className="cl-focus flex min-h-14 items-center gap-3 rounded-control px-2 py-1.5 text-left transition-colors enabled:hover:bg-raised disabled:opacity-60"
              onClick={() => onTransfer({ kind: one.kind, id: one.choice.id })}
            >
              <span
                aria-hidden
                className="grid size-10 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent"
              >
                {one.kind === 'agent' ? (
                  (initialsOf(one.choice.name) ?? '?')
                ) : (
                  <Users className="size-4.5" aria-hidden />
                )}
              </span>
              <span className="flex min-w-0 flex-col">
                <span className="truncate text-base font-medium text-ink">{one.choice.name}</span>
                <span className="truncate text-sm text-muted">
                  {one.kind === 'agent' ? colleagueLabels[one.choice.state] : queueLabel(one.choice)}
                </span>
              </span>
            </button>
          ))}
          {found.length === 0 && (
            <p className="px-2 text-base text-muted">
              {search.trim() === ''
                ? 'No colleagues or queues to show. Your administrator decides whether agents see their team.'
                : `No results for “${search.trim()}”`}
            </p>
          )}
        </div>
      )}
    </Sheet>
  );
}

const colleagueLabels: Record<PhoneColleague['state'], string> = {
  free: 'Available',
  busy: 'On a call',
  away: 'Away, but can still answer',
  offline: 'Not signed in',
};

function queueLabel({ available, waiting }: PhoneQueue): string {
  const free = available === 0 ? 'No one available' : `${available} available`;
  return `Queue · ${free} · ${waiting === 0 ? 'no one waiting' : `${waiting} waiting`}`;
}
