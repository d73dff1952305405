'use client';

import '#lib/flow-builder/jitless.ts';
import { Drawer, Notice, SegmentedControl } from '@clarion/ui';
import { Map as MapIcon, Rows3 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useMe } from '#lib/dashboard/me.tsx';
import type { Flow } from '#lib/dashboard/edit/resources.ts';
import type { Beginning } from '#lib/flow-builder/address.ts';
import { draftOf } from '#lib/flow-builder/draft.ts';
import type { Draft } from '#lib/flow-builder/draft.ts';
import { draftFromTemplate } from '#lib/flow-builder/templates.ts';
import { BuilderBar } from './BuilderBar.tsx';
import { Canvas } from './Canvas.tsx';
import { Palette } from './Palette.tsx';
import { ProblemList } from './ProblemList.tsx';
import { SidePanel, type SideView } from './SidePanel.tsx';
import { StepList } from './StepList.tsx';
import { useBuilder } from './use-builder.ts';
import { useBuilderKeys } from './use-builder-keys.ts';
import { useCommands } from './use-commands.ts';
import { useUnsavedDraft } from './use-unsaved-draft.tsx';
import { useLeaveGuard } from './use-leave-guard.tsx';
import { usePlaced } from './use-placed.ts';
import { useSaving } from './use-saving.tsx';
import { useSimulator } from './use-simulator.ts';
import { useWide } from './use-wide.ts';
import type { FlowResources } from './use-flow-resources.ts';

export interface BuilderProps {
  tenantRef: string;
  flowRef: string;
  world: FlowResources;
  /** Null: the flow is not stored yet. */
  stored: Flow | null;
  beginning: Beginning | null;
  /** The flow that is duplicated. */
  copied: Draft | null;
  /** Restores the unsaved draft of this tab. */
  goOn: boolean;
}

/** The flow builder: canvas or list, side panel, errors, simulation and saving. */
export function Builder(props: BuilderProps) {
  const [first] = useState(() => firstDraft(props));
  const placed = usePlaced(first);
  return placed === null ? null : <Ready {...props} initial={placed} />;
}

function firstDraft({ stored, beginning, copied }: BuilderProps): Draft {
  if (stored !== null) return draftOf(stored);
  const settings = {
    name: beginning?.name ?? '',
    channelRef: beginning?.channelRef ?? '',
    triggerCondition: beginning?.triggerCondition ?? 'ALWAYS',
  } as const;
  // Two flows of one line cannot both be active, so the copy starts turned off.
  if (copied !== null) return { ...copied, ...settings, status: 'DISABLED' };
  return draftFromTemplate(
    beginning !== null && 'template' in beginning ? beginning.template : 'blank',
    settings,
  );
}

function Ready({ tenantRef, flowRef, world, stored, goOn, initial }: BuilderProps & { initial: Draft }) {
  const me = useMe();
  const editable = me.may('manage');
  const builder = useBuilder(initial, world, stored !== null, editable);
  const saving = useSaving({ tenantRef, flowRef, builder, stored });
  const commands = useCommands(builder);
  const simulator = useSimulator(tenantRef, builder);
  const [side, setSide] = useState<SideView>('step');
  const isWide = useWide();
  const [asList, setAsList] = useState<boolean | null>(null);
  const showsList = asList ?? !isWide;
  const [drawerOpen, setDrawerOpen] = useState(false);
  const [problemsOpen, setProblemsOpen] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const kept = useUnsavedDraft({ tenantRef, flowRef, builder, saving, goOn });
  const guard = useLeaveGuard(builder.hasChanges && editable, kept.forget);
  const root = useRef<HTMLDivElement>(null);
  useBuilderKeys({ root, builder, commands, onSave: () => void save() });

  // A chosen step is shown; while a flow is tried the panel stays with that.
  const chosen = [...builder.selection].join(' ');
  useEffect(() => {
    if (chosen !== '') setSide((view) => (view === 'flow' ? 'step' : view));
  }, [chosen]);

  const focusPanel = () => {
    setSide('step');
    setDrawerOpen(true);
    requestAnimationFrame(() =>
      panel.current?.querySelector<HTMLElement>('input,button,[tabindex="0"]')?.focus(),
    );
  };
  const goTo = (nodeId: string | null) => {
    if (nodeId === null) setSide('flow');
    else {
      builder.select([nodeId]);
      setSide('step');
    }
    setDrawerOpen(true);
  };
  const save = async () => {
    if (!builder.isDirty) return;
    const [problem] = builder.problems;
    if (problem === undefined) return saving.save();
    builder.showAllProblems();
    setProblemsOpen(true);
    goTo(problem.nodeId);
  };
  const choose = (view: SideView) => {
    // A flow with errors cannot be simulated, so the errors are shown.
    if (view === 'try') builder.showAllProblems();
    setSide(view);
  };
  const show = (view: SideView) => {
    choose(view);
    setDrawerOpen(true);
  };
  const body = (
    <SidePanel
      view={side}
      onView={choose}
      tenantRef={tenantRef}
      builder={builder}
      commands={commands}
      simulator={simulator}
      isStored={saving.isStored}
      savedDraft={saving.isStored && !builder.isDirty}
    />
  );
  return (
    <div
      ref={root}
      role="group"
      aria-label="Flow builder"
      className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col lg:h-dvh"
    >
      <h1 className="sr-only">{builder.draft.name || 'New flow'}</h1>
      <BuilderBar
        tenantRef={tenantRef}
        builder={builder}
        commands={commands}
        saving={saving}
        onSave={() => void save()}
        onShow={show}
        onProblems={() => setProblemsOpen((open) => !open)}
        view={
          <SegmentedControl
            label="View"
            value={showsList ? 'list' : 'canvas'}
            onChange={(view) => setAsList(view === 'list')}
            choices={[
              { value: 'canvas', label: 'Canvas', icon: <MapIcon /> },
              { value: 'list', label: 'List of steps', icon: <Rows3 /> },
            ]}
          />
        }
      />
      {problemsOpen && builder.shownProblems.length > 0 && (
        <ProblemList builder={builder} onGo={goTo} onClose={() => setProblemsOpen(false)} />
      )}
      {kept.offer}
      {!editable && (
        <Notice className="m-3">
          You can view and simulate this flow. Only admins and owners can change it.
        </Notice>
      )}
      <div className="flex min-h-0 flex-1">
        {editable && isWide && !showsList && <Palette commands={commands} />}
        <div className="relative min-h-0 min-w-0 flex-1">
          {showsList ? (
            <StepList builder={builder} commands={commands} onOpen={goTo} />
          ) : (
            <Canvas
              builder={builder}
              commands={commands}
              simulation={side === 'try' ? simulator.simulation : null}
              onOpen={focusPanel}
            />
          )}
        </div>
        {isWide && (
          <div
            ref={panel}
            className="flex w-80 shrink-0 flex-col overflow-y-auto border-l border-line bg-surface 2xl:w-88"
          >
            {body}
          </div>
        )}
      </div>
      {!isWide && (
        <Drawer
          open={drawerOpen}
          onOpenChange={setDrawerOpen}
          title={<span className="line-clamp-2">{builder.draft.name || 'New flow'}</span>}
        >
          <div ref={panel} className="-mx-4">
            {body}
          </div>
        </Drawer>
      )}
      {saving.dialog}
      {guard}
    </div>
  );
}
