'use client';

import { addableTypes, kindOf } from '#lib/flow-builder/kinds.ts';
import { purposes } from '#lib/flow-builder/labels.ts';
import { KindIcon } from './KindIcon.tsx';
import type { Commands } from './use-commands.ts';

/** The MIME type of a dragged node type. */
export const DRAGGED_TYPE = 'application/x-clarion-step';

/** All step types: drag one onto the canvas, or select it to add it after the current step. */
export function Palette({ commands }: { commands: Commands }) {
  return (
    <nav
      aria-label="Steps to add"
      className="w-44 shrink-0 2xl:w-52 overflow-y-auto border-r border-line bg-surface p-3 max-xl:w-15 max-xl:p-2"
    >
      <h2 className="px-1 text-sm font-semibold text-ink max-xl:sr-only">Add a step</h2>
      <p className="px-1 pb-2 text-xs text-muted max-xl:sr-only">
        Select to add after the current step, or drag onto the canvas.
      </p>
      <ul className="flex flex-col gap-1.5">
        {addableTypes.map((type) => (
          <li key={type}>
            <button
              type="button"
              draggable
              title={[kindOf(type).title, purposes[type]].filter(Boolean).join(': ')}
              onDragStart={({ dataTransfer }) => {
                dataTransfer.setData(DRAGGED_TYPE, type);
                dataTransfer.effectAllowed = 'copy';
              }}
              onClick={() => commands.add(type)}
              className="cl-focus flex w-full cursor-grab items-start gap-2.5 rounded-control border border-line bg-surface px-2.5 py-2 text-left hover:bg-raised active:cursor-grabbing max-xl:justify-center max-xl:px-0 max-xl:py-2.5"
            >
              <span className="mt-0.5 shrink-0 text-accent max-xl:mt-0">
                <KindIcon type={type} />
              </span>
              <span className="min-w-0 max-xl:sr-only">
                <span className="block text-md font-medium text-ink">{kindOf(type).title}</span>
                {purposes[type] !== undefined && (
                  <span className="block text-xs text-pretty text-muted max-2xl:sr-only">
                    {purposes[type]}
                  </span>
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
