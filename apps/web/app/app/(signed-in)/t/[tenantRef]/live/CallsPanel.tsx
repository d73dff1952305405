'use client';

import { EmptyState, SegmentedControl } from '@clarion/ui';
import { PhoneCall } from 'lucide-react';
import type { CallFilter, CallState } from './board-store.ts';
import { CallRow, callColumns } from './CallRow.tsx';
import { useBoard, useTools } from './live-context.ts';
import { Panel } from './Panel.tsx';
import { useNarrow } from './use-width.ts';
import { VirtualRows } from './VirtualRows.tsx';

const WIDE_FROM_PX = 640;
const ROW_PX = 56;
const NARROW_ROW_PX = 68;

const states = [
  { value: 'all', label: 'All' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'ringing', label: 'Ringing' },
  { value: 'active', label: 'Talking' },
] as const;

export function CallsPanel({
  filter,
  onFilter,
  filtered,
}: {
  filter: CallFilter;
  onFilter(change: { state?: CallState | null; order?: CallFilter['order'] }): void;
  /** A filter or search is active. */
  filtered: boolean;
}) {
  const ids = useBoard((store) => store.callIds());
  const total = useBoard((store) => store.totals().calls);
  const [box, narrow] = useNarrow<HTMLDivElement>(WIDE_FROM_PX);
  return (
    <Panel
      ref={box}
      title="Live calls"
      count={ids.length === total ? total : `${ids.length} of ${total}`}
      tools={
        <>
          <SegmentedControl
            label="Filter by state"
            choices={states}
            value={filter.state ?? 'all'}
            onChange={(state) => onFilter({ state: state === 'all' ? null : state })}
          />
          <label className="flex items-center gap-2 text-sm text-muted">
            <span className="sr-only">Order</span>
            <select
              value={filter.order}
              onChange={({ target }) => onFilter({ order: target.value === 'newest' ? 'newest' : 'longest' })}
              className="cl-focus min-h-9 rounded-control border border-line bg-surface px-2 text-md text-ink pointer-coarse:min-h-11"
            >
              <option value="longest">Oldest first</option>
              <option value="newest">Newest first</option>
            </select>
          </label>
        </>
      }
    >
      <VirtualRows
        label="Live calls"
        ids={ids}
        rowHeight={narrow ? NARROW_ROW_PX : ROW_PX}
        className="flex-1"
        {...(!narrow && { header: <Header /> })}
        row={(callId, place) => <CallRow key={callId} callId={callId} narrow={narrow} {...place} />}
        empty={<NoCalls filtered={filtered && total > 0} />}
      />
    </Panel>
  );
}

const Header = () => (
  <div role="row" aria-rowindex={1} className={`${callColumns} h-9 text-sm font-medium text-muted`}>
    {['Caller', 'Queue', 'Agent', 'State'].map((name) => (
      <div key={name} role="columnheader">
        {name}
      </div>
    ))}
    <div role="columnheader" className="text-right">
      Time
    </div>
    <div role="columnheader">
      <span className="sr-only">Actions</span>
    </div>
  </div>
);

function NoCalls({ filtered }: { filtered: boolean }) {
  const { live } = useTools();
  if (live.state === 'connecting') return <p className="px-4 py-12 text-center text-muted">Connecting…</p>;
  return filtered ? (
    <EmptyState icon={<PhoneCall />} title="No calls match this filter">
      Matching calls appear here automatically.
    </EmptyState>
  ) : (
    <EmptyState icon={<PhoneCall />} title="No live calls">
      Each call appears here as soon as it arrives, with its caller, line, agent and wait. Call one of your
      lines to see one.
    </EmptyState>
  );
}
