'use client';

import { Badge, Button, ButtonLink, IconButton, Menu, RelativeTime } from '@clarion/ui';
import {
  ChevronLeft,
  EllipsisVertical,
  LayoutGrid,
  PhoneCall,
  Plus,
  Redo2,
  Save,
  Settings2,
  Sparkles,
  TriangleAlert,
  Undo2,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { addableTypes, kindOf } from '#lib/flow-builder/kinds.ts';
import { KindIcon } from './KindIcon.tsx';
import type { SideView } from './SidePanel.tsx';
import type { Builder } from './use-builder.ts';
import type { Commands } from './use-commands.ts';
import type { Saving } from './use-saving.tsx';
import { useWide } from './use-wide.ts';

interface BuilderBarProps {
  tenantRef: string;
  builder: Builder;
  commands: Commands;
  saving: Saving;
  view: ReactNode;
  onSave(): void;
  onShow(view: SideView): void;
  onProblems(): void;
}

/** The toolbar above the canvas: name, status and actions of the flow. */
export function BuilderBar({
  tenantRef,
  builder,
  commands,
  saving,
  view,
  onSave,
  onShow,
  onProblems,
}: BuilderBarProps) {
  const { draft, editable, shownProblems, isDirty } = builder;
  const isWide = useWide();
  const count = shownProblems.length;
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-surface px-3 py-2.5">
      <ButtonLink
        tone="plain"
        href={`/app/t/${encodeURIComponent(tenantRef)}/flows`}
        aria-label="Back to all flows"
        icon={<ChevronLeft className="size-4.5" aria-hidden />}
        className="w-9 px-0!"
      />
      <div className="flex min-w-0 flex-1 basis-44">
        <button
          type="button"
          onClick={() => onShow('flow')}
          title={draft.name}
          className="cl-focus flex min-w-0 items-center gap-2 rounded-control px-1.5 py-1 text-left hover:bg-raised"
        >
          <span className="flex min-w-0 flex-col">
            <span className="truncate text-base font-semibold text-ink">{draft.name || 'Untitled flow'}</span>
            <span className="truncate text-xs text-muted">
              <SaveStatus builder={builder} saving={saving} />
            </span>
          </span>
          <StatusBadge isStored={saving.isStored} isActive={draft.status === 'ACTIVE'} />
        </button>
      </div>
      {count > 0 && (
        <Button
          tone="plain"
          icon={<TriangleAlert className="size-4 text-warning" aria-hidden />}
          aria-label={`${count} to fix`}
          onClick={onProblems}
        >
          {isWide ? `${count} to fix` : count}
        </Button>
      )}
      <div className="ml-auto flex flex-wrap items-center gap-1.5">
        {editable && (
          <>
            {!isWide && (
              <Menu
                label="Add a step"
                trigger={<IconButton label="Add a step" icon={<Plus />} />}
                items={addableTypes.map((type) => ({
                  label: kindOf(type).title,
                  icon: <KindIcon type={type} />,
                  onSelect: () => {
                    commands.add(type);
                    onShow('step');
                  },
                }))}
              />
            )}
            <IconButton
              label="Undo"
              icon={<Undo2 />}
              disabled={builder.undo === null}
              onClick={() => builder.undo?.()}
            />
            <IconButton
              label="Redo"
              icon={<Redo2 />}
              disabled={builder.redo === null}
              onClick={() => builder.redo?.()}
            />
          </>
        )}
        {view}
        {isWide ? (
          <>
            {editable && (
              <IconButton label="Tidy up" icon={<LayoutGrid />} onClick={() => void commands.layOut()} />
            )}
            <IconButton label="Flow settings" icon={<Settings2 />} onClick={() => onShow('flow')} />
            <Button icon={<Sparkles className="size-4" aria-hidden />} onClick={() => onShow('try')}>
              Simulate
            </Button>
            {editable && (
              <Button icon={<PhoneCall className="size-4" aria-hidden />} onClick={() => onShow('call')}>
                Test call
              </Button>
            )}
          </>
        ) : (
          <Menu
            label="More"
            trigger={<IconButton label="More" icon={<EllipsisVertical />} />}
            items={[
              { label: 'Simulate', icon: <Sparkles />, onSelect: () => onShow('try') },
              ...(editable
                ? [
                    { label: 'Test call', icon: <PhoneCall />, onSelect: () => onShow('call') },
                    { label: 'Tidy up', icon: <LayoutGrid />, onSelect: () => void commands.layOut() },
                  ]
                : []),
              { label: 'Flow settings', icon: <Settings2 />, onSelect: () => onShow('flow') },
            ]}
          />
        )}
        {editable && (
          <Button
            tone="accent"
            icon={<Save className="size-4" aria-hidden />}
            busy={saving.isSaving}
            disabled={!isDirty}
            onClick={onSave}
          >
            Save
          </Button>
        )}
      </div>
    </header>
  );
}

/** A flow answers calls once it is saved, and not before. */
function StatusBadge({ isStored, isActive }: { isStored: boolean; isActive: boolean }) {
  if (!isStored) return <Badge>Draft</Badge>;
  return (
    <Badge tone={isActive ? 'positive' : 'neutral'} dot>
      {isActive ? 'Active' : 'Off'}
    </Badge>
  );
}

function SaveStatus({ builder: { isDirty }, saving }: { builder: Builder; saving: Saving }) {
  if (saving.isSaving) return 'Saving';
  if (saving.savedAt === null) return 'Not saved yet';
  if (isDirty) return 'Unsaved changes';
  return (
    <>
      Saved <RelativeTime at={saving.savedAt} />
    </>
  );
}
