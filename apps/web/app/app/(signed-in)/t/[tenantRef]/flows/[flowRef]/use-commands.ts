'use client';

/** The commands of the builder for pointer, keyboard and buttons. They do nothing in a read-only flow. */
import { useMemo, useRef, useState } from 'react';
import type { IvrNodeType } from '@clarion/protocol/ivr/structure';
import {
  addNode,
  connect,
  copy,
  disconnect,
  freeId,
  idsOf,
  nodeById,
  paste,
  place,
  reconnect,
  remove,
  setData,
} from '#lib/flow-builder/draft.ts';
import type { Clip, Draft, DraftEdge, Point } from '#lib/flow-builder/draft.ts';
import { freeExit, starterData } from '#lib/flow-builder/kinds.ts';
import { BETWEEN_NODES, BETWEEN_RANKS, USUAL_SIZE } from '#lib/flow-builder/sizes.ts';
import type { Size } from '#lib/flow-builder/sizes.ts';
import type { Builder } from './use-builder.ts';

export interface Commands {
  /** Next to the selected node and connected to it; otherwise at `at`, or right of all nodes. */
  add(type: IvrNodeType, at?: Point): void;
  /** Edges by `edgeId`. */
  remove(nodeIds: ReadonlySet<string>, edgeIds?: ReadonlySet<string>): void;
  connect(source: string, exit: string, target: string | null): void;
  reconnect(before: Pick<DraftEdge, 'source' | 'exit'>, after: Omit<DraftEdge, 'rest'>): void;
  setData(id: string, data: Record<string, unknown>, tag?: string): void;
  move(positions: ReadonlyMap<string, Point>): void;
  /** The selected steps and the edges between them. */
  copied(): Clip;
  paste(clip: Clip): void;
  duplicate(): void;
  selectAll(): void;
  layOut(): Promise<void>;
  /** Counts layouts. */
  laidOut: number;
  /** The rendered sizes of nodes, set by the canvas. */
  sizes: Map<string, Size>;
}

/** The draft with a new layout. */
const BESIDE = USUAL_SIZE.width + BETWEEN_RANKS;
const BELOW = USUAL_SIZE.height + BETWEEN_NODES;

export function useCommands({ draft, editable, change, selection, select }: Builder): Commands {
  const sizes = useRef(new Map<string, Size>());
  const [laidOut, setLaidOut] = useState(0);
  return useMemo((): Commands => {
    const edit = (work: () => void) => {
      if (editable) work();
    };
    const insert = (taken: Clip) =>
      edit(() => {
        if (taken.nodes.length === 0) return;
        const { draft: next, pasted } = paste(draft, taken);
        change(() => next);
        select(pasted);
      });
    return {
      sizes: sizes.current,
      add: (type, at) =>
        edit(() => {
          const id = freeId(idsOf(draft), type);
          const [only] = selection.size === 1 ? selection : [];
          const from = at === undefined ? nodeById(draft, only ?? null) : undefined;
          const used = new Set(
            draft.edges.filter(({ source }) => source === from?.id).map(({ exit }) => exit),
          );
          const exit = from ? freeExit(from, used) : null;
          change((before) => {
            const position = at ?? spotBeside(before, from?.position ?? null);
            const added = addNode(before, { id, type, position, data: starterData(type) });
            return from && exit !== null ? connect(added, from.id, exit, id) : added;
          });
          select([id]);
        }),
      remove: (nodeIds, edgeIds) =>
        edit(() => {
          change((before) => remove(before, nodeIds, edgeIds));
          select([]);
        }),
      connect: (source, exit, target) =>
        edit(() =>
          change((before) =>
            target === null ? disconnect(before, source, exit) : connect(before, source, exit, target),
          ),
        ),
      reconnect: (before, after) => edit(() => change((now) => reconnect(now, before, after))),
      setData: (id, data, tag) => edit(() => change((before) => setData(before, id, data), tag)),
      move: (positions) => edit(() => change((before) => place(before, positions))),
      copied: () => copy(draft, selection),
      paste: insert,
      duplicate: () => insert(copy(draft, selection)),
      selectAll: () => select(draft.nodes.map(({ id }) => id)),
      layOut: async () => {
        const { layOut } = await import('#lib/flow-builder/layout.ts');
        edit(() => change((before) => place(before, layOut(before, sizes.current))));
        setLaidOut((times) => times + 1);
      },
      laidOut,
    };
  }, [draft, editable, change, selection, select, laidOut]);
}

/** Right of the preceding node and below existing nodes; without one, right of all nodes. */
function spotBeside({ nodes }: Draft, from: Point | null): Point {
  const known = nodes.flatMap(({ position }) => position ?? []);
  if (from === null) {
    const x = Math.max(0, ...known.map((point) => point.x + BESIDE));
    return { x, y: known[0]?.y ?? 0 };
  }
  const spot = { x: from.x + BESIDE, y: from.y };
  const isTaken = () =>
    known.some(
      ({ x, y }) => Math.abs(x - spot.x) < USUAL_SIZE.width && Math.abs(y - spot.y) < USUAL_SIZE.height + 8,
    );
  while (isTaken()) spot.y += BELOW;
  return spot;
}
