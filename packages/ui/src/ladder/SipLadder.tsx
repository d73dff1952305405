'use client';

import { Activity, Building2, CircleDot, Headphones, MessageCircle, Server, ShieldCheck } from 'lucide-react';
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { SegmentedControl } from '../forms/SegmentedControl.tsx';
import { classNames } from '../shared/class-names.ts';
import { LadderRow } from './LadderRow.tsx';
import type { LadderEntry, LadderParticipant, LadderParticipantKind } from './model.ts';

const icons: Record<LadderParticipantKind, ReactNode> = {
  CARRIER: <Building2 aria-hidden />,
  META: <MessageCircle aria-hidden />,
  SERVICE: <Server aria-hidden />,
  AGENT: <Headphones aria-hidden />,
  SUPERVISOR: <ShieldCheck aria-hidden />,
};

export interface SipLadderProps {
  participants: readonly LadderParticipant[];
  entries: readonly LadderEntry[];
  /** Messages were cut off or left out. */
  truncated?: boolean;
  className?: string;
}

type Filter = 'all' | 'sip';

/**
 * The messages of a call as arrows between its parties, and what happened to its audio, from top to bottom. It is a list: a screen reader
 * hears who sent what to whom. A message opens with a press or Enter, and the arrow keys move between messages.
 */
export function SipLadder({ participants, entries, truncated = false, className }: SipLadderProps) {
  const [filter, setFilter] = useState<Filter>('all');
  const [open, setOpen] = useState<ReadonlySet<LadderEntry>>(new Set());
  const list = useRef<HTMLOListElement>(null);
  const heading = useId();
  const shown = filter === 'all' ? entries : entries.filter(({ kind }) => kind === 'SIP');
  const used = new Set(shown.flatMap(({ from, to }) => [from, to]));
  const lanes = participants.filter(({ id }) => used.has(id));
  const firstMessage = shown.findIndex(({ detail }) => detail !== null);

  const toggle = (entry: LadderEntry) => {
    const next = new Set(open);
    if (!next.delete(entry)) next.add(entry);
    setOpen(next);
  };
  return (
    <div className={classNames('flex min-w-0 flex-col gap-3', className)}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <SegmentedControl<Filter>
          label="Entries"
          choices={[
            { value: 'all', label: 'All' },
            { value: 'sip', label: 'SIP only' },
          ]}
          value={filter}
          onChange={setFilter}
        />
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted [&_svg]:size-3.5">
          <li className="flex items-center gap-1.5">
            <Activity aria-hidden /> Audio
          </li>
          <li className="flex items-center gap-1.5">
            <CircleDot aria-hidden /> Call
          </li>
        </ul>
      </div>
      {truncated && (
        <p className="text-md text-muted">
          Some messages were cut off or left out, because a leg had too many or too long ones.
        </p>
      )}
      {shown.length === 0 ? (
        <p className="py-6 text-md text-muted">This call has no SIP messages.</p>
      ) : (
        <div className="min-w-0 overflow-clip rounded-panel border border-line bg-surface">
          <div
            id={heading}
            className="sticky top-0 z-10 grid grid-cols-[4.25rem_minmax(0,1fr)] border-b border-line bg-raised sm:grid-cols-[6rem_minmax(0,1fr)]"
          >
            <span className="self-end px-2 py-2 text-xs text-muted sm:px-3">Time</span>
            <ul
              aria-label="Parties"
              className="grid"
              style={{ gridTemplateColumns: `repeat(${lanes.length}, minmax(0, 1fr))` }}
            >
              {lanes.map(({ id, kind, label }) => (
                <li
                  key={id}
                  className="flex min-w-0 flex-col items-center gap-1 px-1 py-2 text-center text-xs font-medium text-ink sm:text-sm [&_svg]:size-4 [&_svg]:text-muted"
                >
                  {icons[kind]}
                  <span className="line-clamp-2 max-w-full wrap-anywhere">{label}</span>
                </li>
              ))}
            </ul>
          </div>
          <ol
            ref={list}
            aria-label="Messages, oldest first"
            onKeyDown={(event) => moveFocus(event, list.current)}
          >
            {shown.map((entry, index) => (
              <LadderRow
                key={`${index}-${entry.at}`}
                entry={entry}
                lanes={lanes}
                isOpen={open.has(entry)}
                isFirst={index === firstMessage}
                onToggle={() => toggle(entry)}
              />
            ))}
          </ol>
        </div>
      )}
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** The arrow keys move between messages, Home and End to the first and the last. */
function moveFocus(event: KeyboardEvent, list: HTMLOListElement | null): void {
  const messages = [...(list?.querySelectorAll<HTMLButtonElement>('button[data-message]') ?? [])];
  const at = messages.findIndex((message) => message === event.target);
  const step = STEPS[event.key];
  const next =
    at < 0
      ? undefined
      : event.key === 'Home'
        ? messages[0]
        : event.key === 'End'
          ? messages.at(-1)
          : step === undefined
            ? undefined
            : messages[at + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
