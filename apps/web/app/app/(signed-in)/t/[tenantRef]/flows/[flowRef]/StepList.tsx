'use client';

import { Badge, classNames } from '@clarion/ui';
import { ChevronRight } from 'lucide-react';
import { inWalkOrder, nodeById } from '#lib/flow-builder/draft.ts';
import { addableTypes, kindOf } from '#lib/flow-builder/kinds.ts';
import { exitLabel } from '#lib/flow-builder/labels.ts';
import { KindIcon } from './KindIcon.tsx';
import { summaryOf, titleOf } from './node-labels.ts';
import type { Builder } from './use-builder.ts';
import type { Commands } from './use-commands.ts';

interface StepListProps {
  builder: Builder;
  commands: Commands;
  onOpen(nodeId: string): void;
}

/** The flow as a list in calling order, for small screens and as an alternative to the canvas. */
export function StepList({ builder, commands, onOpen }: StepListProps) {
  const { draft, world, selection, shownProblems, editable } = builder;
  return (
    <div className="h-full overflow-y-auto p-4">
      <ol aria-label="Steps" className="mx-auto flex max-w-2xl flex-col gap-2">
        {inWalkOrder(draft).map((node) => {
          const summary = summaryOf(node, world);
          const ways = draft.edges.filter(({ source }) => source === node.id);
          const wrong = shownProblems.filter(({ nodeId }) => nodeId === node.id).length;
          return (
            <li key={node.id}>
              <button
                type="button"
                data-step={node.id}
                aria-current={selection.has(node.id)}
                onClick={() => onOpen(node.id)}
                className={classNames(
                  'cl-focus flex w-full items-start gap-3 rounded-panel border bg-surface px-3.5 py-3 text-left hover:bg-raised',
                  selection.has(node.id) ? 'border-accent ring-1 ring-accent' : 'border-line',
                )}
              >
                <span className="grid size-8 shrink-0 place-items-center rounded-control bg-accent-soft text-accent">
                  <KindIcon type={node.type} />
                </span>
                <span className="min-w-0 flex-1">
                  <span className="flex flex-wrap items-center gap-2">
                    <span className="truncate text-md font-semibold text-ink">{titleOf(node)}</span>
                    {wrong > 0 && <Badge tone="negative">{wrong} to fix</Badge>}
                  </span>
                  <span className="block truncate text-sm text-muted">
                    {summary ?? kindOf(node.type).title}
                  </span>
                  {ways.map(({ exit, target }) => {
                    const next = nodeById(draft, target);
                    return (
                      <span key={exit} className="block truncate text-sm text-muted">
                        {exitLabel(node.type, exit)} → {next ? titleOf(next) : target}
                      </span>
                    );
                  })}
                </span>
                <ChevronRight className="mt-1 size-4 shrink-0 text-muted" aria-hidden />
              </button>
            </li>
          );
        })}
      </ol>
      {editable && (
        <div className="mx-auto mt-4 max-w-2xl">
          <h2 className="pb-2 text-sm font-semibold text-ink">
            {selection.size === 1 ? 'Add a step after the selected one' : 'Add a step'}
          </h2>
          <div className="flex flex-wrap gap-2">
            {addableTypes.map((type) => (
              <button
                key={type}
                type="button"
                onClick={() => commands.add(type)}
                className="cl-focus flex min-h-9 items-center gap-2 rounded-control border border-line bg-surface px-3 text-md text-ink hover:bg-raised pointer-coarse:min-h-11"
              >
                <KindIcon type={type} />
                {kindOf(type).title}
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
