'use client';

import { Activity, CircleDot } from 'lucide-react';
import { useId } from 'react';
import { CodeBlock } from '../data/CodeBlock.tsx';
import { classNames } from '../shared/class-names.ts';
import { formatOffset, toneOf } from './model.ts';
import type { LadderEntry, LadderParticipant, LadderTone } from './model.ts';

const textClass: Record<LadderTone, string> = {
  request: 'text-ink',
  provisional: 'text-muted',
  success: 'text-positive',
  failure: 'text-negative-text',
  media: 'text-muted',
  event: 'text-muted',
};
const lineClass: Record<LadderTone, string> = {
  request: 'text-accent',
  provisional: 'text-line-strong',
  success: 'text-positive',
  failure: 'text-negative-text',
  media: 'text-muted',
  event: 'text-muted',
};
const languages: Partial<Record<LadderEntry['kind'], string>> = {
  SIP: 'SIP message',
  SDP: 'SDP',
  GRAPH: 'Graph API',
  WEBHOOK: 'Webhook',
};

interface LadderRowProps {
  entry: LadderEntry;
  lanes: readonly LadderParticipant[];
  isOpen: boolean;
  /** The first message: the list is entered here with Tab. */
  isFirst: boolean;
  onToggle(): void;
}

export function LadderRow({ entry, lanes, isOpen, isFirst, onToggle }: LadderRowProps) {
  const id = useId();
  const { detail, kind } = entry;
  const row = <Line entry={entry} lanes={lanes} />;
  const rowClass =
    'grid w-full grid-cols-[4.25rem_minmax(0,1fr)] text-left sm:grid-cols-[6rem_minmax(0,1fr)]';
  if (detail === null) return <li className={rowClass}>{row}</li>;
  return (
    <li>
      <button
        type="button"
        data-message
        // One stop of Tab for the whole list; the arrow keys move within it.
        tabIndex={isFirst || isOpen ? 0 : -1}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
        className={classNames(
          rowClass,
          'cl-focus cursor-pointer -outline-offset-2! hover:bg-raised',
          isOpen && 'bg-raised',
        )}
      >
        {row}
      </button>
      <div id={id} hidden={!isOpen} className="border-y border-line bg-raised p-2 sm:p-3">
        {isOpen && (
          <CodeBlock text={detail} language={languages[kind] ?? 'Message'} wrap className="bg-surface!" />
        )}
      </div>
    </li>
  );
}

function Line({ entry, lanes }: Pick<LadderRowProps, 'entry' | 'lanes'>) {
  const { offsetMs, from, to, summary } = entry;
  const tone = toneOf(entry);
  const start = centreOf(lanes, from);
  const end = to === null || to === from ? null : centreOf(lanes, to);
  const fromLabel = labelOf(lanes, from);
  return (
    <>
      <span className="px-2 pt-1.5 font-mono text-xs whitespace-nowrap text-muted tabular-nums sm:px-3">
        {formatOffset(offsetMs)}
      </span>
      <span className="relative block min-w-0 pt-1 pb-1.5">
        <Axes lanes={lanes} />
        <span className="sr-only">
          {end === null ? `${fromLabel}: ` : `${fromLabel} to ${labelOf(lanes, to ?? from)}: `}
        </span>
        {end === null ? (
          <Moment at={start} tone={tone} summary={summary} />
        ) : (
          <Arrow start={start} end={end} tone={tone} summary={summary} />
        )}
      </span>
    </>
  );
}

/** The vertical lines of the parties. */
function Axes({ lanes }: Pick<LadderRowProps, 'lanes'>) {
  return lanes.map(({ id }) => (
    <span
      key={id}
      aria-hidden
      className="absolute inset-y-0 w-px bg-line"
      style={{ left: `${centreOf(lanes, id)}%` }}
    />
  ));
}

function Arrow({
  start,
  end,
  tone,
  summary,
}: {
  start: number;
  end: number;
  tone: LadderTone;
  summary: string;
}) {
  const left = Math.min(start, end);
  const width = Math.abs(end - start);
  const isRightwards = end > start;
  return (
    <>
      <Words at={left} to={left + width} tone={tone}>
        {summary}
      </Words>
      <span
        aria-hidden
        className={classNames('relative block h-2.5', lineClass[tone])}
        style={{ marginLeft: `${left}%`, width: `${width}%` }}
      >
        <span
          className={classNames(
            'absolute inset-x-1 top-1/2 -translate-y-1/2 border-t-[1.5px] border-current',
            tone === 'provisional' && 'border-dashed',
          )}
        />
        <span
          className={classNames(
            'absolute top-1/2 size-0 -translate-y-1/2 border-y-[5px] border-y-transparent',
            isRightwards
              ? 'right-0.5 border-l-[7px] border-l-current'
              : 'left-0.5 border-r-[7px] border-r-current',
          )}
        />
      </span>
    </>
  );
}

function Moment({ at, tone, summary }: { at: number; tone: LadderTone; summary: string }) {
  const Icon = tone === 'media' ? Activity : CircleDot;
  const isLeft = at > 60;
  return (
    <span
      className={classNames('relative flex min-w-0 items-start gap-1.5 text-xs sm:text-sm', textClass[tone])}
      style={
        isLeft
          ? { marginRight: `calc(${100 - at}% - 0.4375rem)` }
          : { marginLeft: `calc(${at}% - 0.4375rem)` }
      }
    >
      <Icon
        aria-hidden
        className={classNames('mt-0.5 size-3.5 shrink-0 rounded-full bg-surface', isLeft && 'order-last')}
      />
      <span className={classNames('min-w-0 bg-surface/80 wrap-anywhere', isLeft && 'ml-auto text-right')}>
        {summary}
      </span>
    </span>
  );
}

/** Above an arrow. Wider than a short arrow, so that it can be read on a phone. */
function Words({ at, to, tone, children }: { at: number; to: number; tone: LadderTone; children: string }) {
  const isLeft = (at + to) / 2 > 55;
  return (
    <span
      className={classNames('relative flex min-w-0', isLeft ? 'justify-end' : 'justify-start')}
      style={isLeft ? { marginRight: `${100 - to}%` } : { marginLeft: `${at}%` }}
    >
      <span
        className={classNames(
          'line-clamp-2 min-w-0 bg-surface/80 px-1.5 text-xs font-medium wrap-anywhere sm:text-sm',
          isLeft && 'text-right',
          textClass[tone],
        )}
      >
        {children}
      </span>
    </span>
  );
}

/** In percent of the width. */
function centreOf(lanes: readonly LadderParticipant[], id: string): number {
  const index = Math.max(
    0,
    lanes.findIndex((lane) => lane.id === id),
  );
  return ((index + 0.5) / lanes.length) * 100;
}

const labelOf = (lanes: readonly LadderParticipant[], id: string): string =>
  lanes.find((lane) => lane.id === id)?.label ?? id;
