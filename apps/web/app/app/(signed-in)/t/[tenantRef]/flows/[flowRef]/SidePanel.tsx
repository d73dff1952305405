'use client';

import { SegmentedControl, Skeleton } from '@clarion/ui';
import nextDynamic from 'next/dynamic.js';
import { FlowSettings } from './FlowSettings.tsx';
import { SimulatorPanel } from './SimulatorPanel.tsx';
import { StepPanel } from './StepPanel.tsx';
import type { Builder } from './use-builder.ts';
import type { Commands } from './use-commands.ts';
import type { Simulator } from './use-simulator.ts';

export type SideView = 'step' | 'flow' | 'try' | 'call';

/** Contains the phone with its audio and sockets, so it is loaded for a test call only. */
const TestCallPanel = nextDynamic(async () => (await import('./TestCallPanel.tsx')).TestCallPanel, {
  ssr: false,
  loading: () => <Skeleton className="m-4 h-96" />,
});

interface SidePanelProps {
  view: SideView;
  onView(view: SideView): void;
  tenantRef: string;
  builder: Builder;
  commands: Commands;
  simulator: Simulator;
  isStored: boolean;
  /** The draft equals the stored flow. */
  savedDraft: boolean;
}

/** Next to the canvas: the selected step, the flow's settings, the simulator and the test call. */
export function SidePanel(props: SidePanelProps) {
  const { view, onView, builder } = props;
  const views = [
    { value: 'step', label: 'Step' },
    { value: 'flow', label: 'Flow' },
    { value: 'try', label: 'Simulate' },
    ...(builder.editable ? [{ value: 'call', label: 'Test call' } as const] : []),
  ] as const;
  return (
    <>
      <div className="sticky top-0 z-10 border-b border-line bg-surface px-4 py-3">
        <SegmentedControl label="Panel" choices={views} value={view} onChange={onView} className="w-full" />
      </div>
      <div className="flex min-w-0 flex-col gap-5 px-4 py-4">
        {view === 'step' && <StepPanel builder={builder} commands={props.commands} />}
        {view === 'flow' && <FlowSettings builder={builder} />}
        {view === 'try' && <SimulatorPanel builder={builder} simulator={props.simulator} />}
        {view === 'call' && (
          <TestCallPanel
            tenantRef={props.tenantRef}
            builder={builder}
            isStored={props.isStored}
            isSaved={props.savedDraft}
          />
        )}
      </div>
    </>
  );
}
