'use client';

import { classNames } from '@clarion/ui';
import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { CircleAlert } from 'lucide-react';
import { createContext, use } from 'react';
import { nodeById, targetOfExit } from '#lib/flow-builder/draft.ts';
import type { DraftNode } from '#lib/flow-builder/draft.ts';
import { factsIn, kindOf } from '#lib/flow-builder/kinds.ts';
import type { Problem } from '#lib/flow-builder/problems.ts';
import { isOver } from '#lib/flow-builder/simulate.ts';
import type { Simulation } from '#lib/flow-builder/simulate.ts';
import { exitLabel, fieldText } from '#lib/flow-builder/labels.ts';
import { KindIcon } from './KindIcon.tsx';
import { summaryOf, titleOf } from './node-labels.ts';
import type { Builder } from './use-builder.ts';

export type CanvasNode = Node<Record<string, never>, 'step'>;

interface Around {
  builder: Builder;
  simulation: Simulation | null;
  /** Zoomed out too far to read text of the usual size. */
  isFar: boolean;
}
export const BuilderContext = createContext<Around | null>(null);

/** With more exits than this, unconnected exits are shown as small keys. */
const FEW_EXITS = 4;

/** One step on the canvas: its type, summary, exits and errors. */
export function StepNode({ id, selected }: NodeProps<CanvasNode>) {
  const around = use(BuilderContext);
  const node = around && nodeById(around.builder.draft, id);
  return node ? <Step node={node} selected={selected} around={around} /> : null;
}

function Step({ node, selected, around }: { node: DraftNode; selected: boolean; around: Around }) {
  const { builder, simulation, isFar } = around;
  const problems = builder.shownProblems.filter(({ nodeId }) => nodeId === node.id);
  const summary = summaryOf(node, builder.resources);
  const { exits, needed } = factsIn(node);
  const isShown = (exit: string) =>
    exits.length <= FEW_EXITS ||
    exit === 'next' ||
    needed.some((each) => each.exit === exit) ||
    targetOfExit(builder.draft, node.id, exit) !== null;
  const shown = exits.filter(isShown);
  const keys = exits.filter((exit) => !isShown(exit));
  const hasIncomingEdge =
    node.type !== 'ivr_start' || builder.draft.edges.some(({ target }) => target === node.id);
  const wasHere = simulation?.nodes.has(node.id) ?? false;
  const isHere = simulation !== null && simulation.run.nodeId === node.id && !isOver(simulation);
  return (
    <div
      {...(problems.length > 0 && { 'data-wrong': '' })}
      className={classNames(
        'w-60 rounded-panel border bg-surface text-ink shadow-sm',
        problems.length > 0
          ? 'border-negative'
          : isHere || wasHere
            ? 'border-positive'
            : selected
              ? 'border-accent'
              : 'border-line',
        selected && 'ring-2 ring-accent',
        isHere && 'cl-pulse',
      )}
    >
      {isFar && (
        <span className="step-from-far" aria-hidden>
          <span className="line-clamp-2">{titleOf(node)}</span>
        </span>
      )}
      <div className="step-from-near relative flex items-center gap-2.5 px-3 py-2.5">
        <Handle
          type="target"
          position={Position.Left}
          isConnectableStart={false}
          className={hasIncomingEdge ? '' : 'step-unused'}
        />
        <span className="grid size-8 shrink-0 place-items-center rounded-control bg-accent-soft text-accent">
          <KindIcon type={node.type} />
        </span>
        <span className="min-w-0 flex-1" title={[titleOf(node), summary].filter(Boolean).join('\n')}>
          <span className="block truncate text-md font-semibold">{titleOf(node)}</span>
          <span className="block truncate text-xs text-muted">{summary ?? kindOf(node.type).title}</span>
        </span>
        {problems.length > 0 && (
          <CircleAlert className="size-4.5 shrink-0 text-negative-text" role="img" aria-label="Error" />
        )}
      </div>
      {shown.length > 0 && (
        <ul className="step-from-near border-t border-line py-1 text-sm">
          {shown.map((exit) => (
            <li key={exit} className="relative px-3 py-0.5 text-right text-muted">
              {exitLabel(node.type, exit)}
              <Handle type="source" id={exit} position={Position.Right} isConnectableEnd={false} />
            </li>
          ))}
        </ul>
      )}
      {keys.length > 0 && builder.editable && (
        <div className="step-from-near flex flex-wrap gap-1 border-t border-line px-2.5 py-2">
          {keys.map((exit) => (
            <Handle
              key={exit}
              type="source"
              id={exit}
              position={Position.Bottom}
              className="step-key"
              isConnectableEnd={false}
            >
              <span className="pointer-events-none">{exit}</span>
            </Handle>
          ))}
        </div>
      )}
      {problems.length > 0 && (
        <p className="step-from-near rounded-b-panel border-t border-line bg-negative-soft px-3 py-1.5 text-xs text-pretty text-negative-text">
          {problemText(problems[0])}
          {problems.length > 1 && `, and ${problems.length - 1} more`}
        </p>
      )}
    </div>
  );
}

/** "Audio is required" */
function problemText(problem: Problem | undefined): string {
  if (!problem) return '';
  const { field, message } = problem;
  return `${field === null ? 'This step' : fieldText(field.split(/[.[]/)[0] ?? field).label} ${message}`;
}
