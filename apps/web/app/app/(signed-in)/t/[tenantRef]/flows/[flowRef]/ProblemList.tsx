'use client';

import { IconButton } from '@clarion/ui';
import { X } from 'lucide-react';
import { nodeById } from '#lib/flow-builder/draft.ts';
import type { Problem } from '#lib/flow-builder/problems.ts';
import { exitLabel, fieldText } from '#lib/flow-builder/labels.ts';
import { titleOf } from './node-labels.ts';
import type { Builder } from './use-builder.ts';

interface ProblemListProps {
  builder: Builder;
  onGo(nodeId: string | null): void;
  onClose(): void;
}

/** Every error that prevents saving, with a link to its step. */
export function ProblemList({ builder, onGo, onClose }: ProblemListProps) {
  return (
    <section
      aria-label="To fix before saving"
      className="flex max-h-48 items-start gap-2 overflow-y-auto border-b border-line bg-warning-soft px-4 py-2.5"
    >
      <ul className="min-w-0 flex-1">
        {builder.shownProblems.map((problem, index) => (
          <li key={`${problem.sentence} ${index}`}>
            <button
              type="button"
              onClick={() => onGo(problem.nodeId)}
              title={problem.sentence}
              className="cl-focus flex min-h-8 w-full flex-wrap items-baseline gap-x-2 rounded-md px-1.5 text-left text-md hover:underline pointer-coarse:min-h-11"
            >
              <span className="font-medium text-ink">{problemPlace(builder, problem)}</span>
              <span className="text-ink">{problem.message}</span>
            </button>
          </li>
        ))}
      </ul>
      <IconButton size="sm" label="Close" icon={<X />} onClick={onClose} />
    </section>
  );
}

function problemPlace({ draft }: Builder, { nodeId, field, exit }: Problem): string {
  const node = nodeById(draft, nodeId);
  if (!node) return field === null ? 'The flow' : fieldText(field).label;
  const part = field === null ? (exit === null ? null : exitLabel(node.type, exit)) : labelOfField(field);
  return part === null ? titleOf(node) : `${titleOf(node)}: ${part.toLowerCase()}`;
}

/** `hours[0].to` → Open. */
const labelOfField = (field: string): string => fieldText(field.split(/[.[]/)[0] ?? field).label;
