'use client';

import '@xyflow/react/dist/base.css';
import './canvas.css';
import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  Controls,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  getNodesBounds,
  useReactFlow,
  useStore,
  type Connection,
  type Edge,
  type EdgeChange,
  type NodeChange,
} from '@xyflow/react';
import { ivrNodeTypes } from '@clarion/protocol/ivr/nodes/index';
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { factsIn } from '#lib/flow-builder/kinds.ts';
import { edgeId, nodeById } from '#lib/flow-builder/draft.ts';
import type { Point } from '#lib/flow-builder/draft.ts';
import type { Simulation } from '#lib/flow-builder/simulate.ts';
import { exitName, titleOf } from './node-labels.ts';
import { DRAGGED_TYPE } from './Palette.tsx';
import { BuilderContext, StepNode, type CanvasNode } from './StepNode.tsx';
import type { Builder } from './use-builder.ts';
import type { Commands } from './use-commands.ts';

const nodeTypes = { step: StepNode };
const FIT = { padding: 0.06, maxZoom: 1 };
/** Below this zoom, the text of a step is too small to read. */
const FAR_ZOOM = 0.45;
const MAP_SIZE = { width: 144, height: 96 };
const GRID: [number, number] = [8, 8];
const NEXT = 'next';
/** The offset of the pointer from the corner of a dropped step, in canvas pixels, rounded to the grid. */
const DROPPED_AT: Point = { x: 120, y: 24 };

interface CanvasProps {
  builder: Builder;
  commands: Commands;
  /** The running simulation, whose path is highlighted. */
  simulation: Simulation | null;
  /** Enter on a selected step moves the focus to its panel. */
  onOpen(): void;
}

export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Drawn {...props} />
    </ReactFlowProvider>
  );
}

function Drawn({ builder, commands, simulation, onOpen }: CanvasProps) {
  const { draft, selection, select, editable } = builder;
  const { screenToFlowPosition, fitView } = useReactFlow();
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR_ZOOM);
  const frame = useRef<HTMLDivElement>(null);
  const [nodes, setNodes] = useState<CanvasNode[]>([]);
  const [selectedEdges, setSelectedEdges] = useState<ReadonlySet<string>>(() => new Set());

  useEffect(() => {
    setNodes((before) => {
      const known = new Map(before.map((node) => [node.id, node]));
      return draft.nodes.map((node) => ({
        ...known.get(node.id),
        id: node.id,
        type: 'step' as const,
        position: node.position ?? { x: 0, y: 0 },
        selected: selection.has(node.id),
        data: {},
        ariaLabel: titleOf(node),
      }));
    });
  }, [draft, selection]);

  useShown(frame, selection, nodes);

  // The view is fitted one render after the layout, when the steps have their new positions.
  const { laidOut } = commands;
  const [fitted, setFitted] = useState(laidOut);
  useEffect(() => setFitted(laidOut), [laidOut]);
  useEffect(() => {
    if (fitted > 0) void fitView(FIT);
  }, [fitted, fitView]);

  const edges = useMemo(
    () =>
      draft.edges
        // An exit that a node does not have (any more) is no place to draw from; what is wrong is said all the same.
        .filter(({ source, exit }) => {
          const node = nodeById(draft, source);
          return node !== undefined && factsIn(node).exits.includes(exit);
        })
        .map((edge): Edge => {
          const id = edgeId(edge);
          const walked = simulation?.exits.has(id) ?? false;
          const target = nodeById(draft, edge.target);
          return {
            id,
            source: edge.source,
            target: edge.target,
            sourceHandle: edge.exit,
            selected: selectedEdges.has(id),
            className: walked ? 'walked' : '',
            zIndex: walked ? 1 : 0,
            ariaLabel: `${exitName(draft, edge.source, edge.exit)}, to ${target ? titleOf(target) : edge.target}`,
            reconnectable: editable,
          };
        }),
    [draft, selectedEdges, simulation, editable],
  );

  const onNodesChange = (changes: NodeChange<CanvasNode>[]) => {
    setNodes((before) => applyNodeChanges(changes, before));
    const next = new Set(selection);
    const moved = new Map<string, Point>();
    for (const change of changes) {
      if (change.type === 'select') next[change.selected ? 'add' : 'delete'](change.id);
      if (change.type === 'position' && change.position && change.dragging === false)
        moved.set(change.id, change.position);
      if (change.type === 'dimensions' && change.dimensions) commands.sizes.set(change.id, change.dimensions);
    }
    select(next);
    if (moved.size > 0) commands.move(moved);
  };
  const onEdgesChange = (changes: EdgeChange[]) => {
    const next = new Set(selectedEdges);
    for (const change of changes)
      if (change.type === 'select') next[change.selected ? 'add' : 'delete'](change.id);
    setSelectedEdges(next);
  };
  const onConnect = ({ source, sourceHandle, target }: Connection) =>
    commands.connect(source, sourceHandle ?? NEXT, target);
  const onReconnect = (before: Edge, { source, sourceHandle, target }: Connection) =>
    commands.reconnect(
      { source: before.source, exit: before.sourceHandle ?? NEXT },
      { source, exit: sourceHandle ?? NEXT, target },
    );
  const onDrop = (event: DragEvent) => {
    const dragged = event.dataTransfer.getData(DRAGGED_TYPE);
    const type = ivrNodeTypes.find((each) => each === dragged);
    if (type === undefined) return;
    event.preventDefault();
    const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY });
    commands.add(type, { x: x - DROPPED_AT.x, y: y - DROPPED_AT.y });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event;
    if (!(target instanceof Element)) return;
    if (key === 'Enter') {
      const id = target.closest('.react-flow__node')?.getAttribute('data-id');
      if (target.classList.contains('react-flow__node') && id && selection.has(id)) {
        event.preventDefault();
        onOpen();
      }
    }
    if ((key === 'Delete' || key === 'Backspace') && selectedEdges.size > 0) {
      event.preventDefault();
      commands.remove(selection, selectedEdges);
      setSelectedEdges(new Set());
      frame.current?.focus();
    }
  };
  const context = useMemo(() => ({ builder, simulation, isFar }), [builder, simulation, isFar]);
  const onDragOver = useCallback((event: DragEvent) => {
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
  }, []);
  return (
    <BuilderContext value={context}>
      <ReactFlow
        ref={frame}
        className={isFar ? 'is-far' : ''}
        tabIndex={-1}
        aria-label="Flow"
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onConnect={onConnect}
        onReconnect={onReconnect}
        onDrop={onDrop}
        onDragOver={onDragOver}
        onKeyDownCapture={onKeyDown}
        nodesDraggable={editable}
        nodesConnectable={editable}
        deleteKeyCode={null}
        selectionKeyCode="Shift"
        multiSelectionKeyCode={['Control', 'Meta']}
        snapToGrid
        snapGrid={GRID}
        minZoom={0.1}
        maxZoom={2}
        panOnScroll
        fitView
        fitViewOptions={FIT}
        ariaLabelConfig={ARIA}
      >
        <Background variant={BackgroundVariant.Dots} gap={24} size={1.5} />
        <Controls showInteractive={false} fitViewOptions={FIT} aria-label="View" />
        <MapOfTheRest />
      </ReactFlow>
    </BuilderContext>
  );
}

/** While a part of the flow is out of sight; it would only lie on what one sees. */
function MapOfTheRest() {
  const isNeeded = useStore(({ nodes, nodeLookup, width, height, transform: [left, top, zoom] }) => {
    const { x, y, ...size } = getNodesBounds(nodes, { nodeLookup });
    const from = { x: x * zoom + left, y: y * zoom + top };
    return (
      from.x < 0 || from.y < 0 || from.x + size.width * zoom > width || from.y + size.height * zoom > height
    );
  });
  return isNeeded && <MiniMap pannable zoomable ariaLabel="Flow map" style={MAP_SIZE} />;
}

/** Brings a step that was chosen elsewhere into sight, and what was added or pasted; of several others at least something. */
function useShown(
  frame: RefObject<HTMLDivElement | null>,
  selection: ReadonlySet<string>,
  nodes: CanvasNode[],
) {
  const { flowToScreenPosition, getNodesBounds, getZoom, setCenter } = useReactFlow();
  const shown = useRef('');
  const known = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const key = [...selection].join(' ');
    if (shown.current === key) {
      known.current = new Set(nodes.map(({ id }) => id));
      return;
    }
    const chosen = nodes.filter(({ id }) => selection.has(id));
    const box = frame.current?.getBoundingClientRect();
    if (chosen.length < selection.size || !box) return;
    if (chosen.some(({ measured }) => !measured?.width || !measured.height)) return;
    shown.current = key;
    if (chosen.length === 0) return;
    const { x, y, width, height } = getNodesBounds(chosen);
    const from = flowToScreenPosition({ x, y });
    const to = flowToScreenPosition({ x: x + width, y: y + height });
    const isInside = from.x >= box.left && from.y >= box.top && to.x <= box.right && to.y <= box.bottom;
    const touches = from.x < box.right && from.y < box.bottom && to.x > box.left && to.y > box.top;
    const areNew = chosen.every(({ id }) => !known.current.has(id));
    if (chosen.length === 1 || areNew ? isInside : touches) return;
    void setCenter(x + width / 2, y + height / 2, { zoom: getZoom(), duration: 200 });
  }, [frame, selection, nodes, flowToScreenPosition, getNodesBounds, getZoom, setCenter]);
}

const ARIA = {
  'node.a11yDescription.default':
    'Press Enter to select this step. Then press Enter to open its panel, the arrow keys to move it, or Delete to remove it.',
  'node.a11yDescription.keyboardDisabled': 'Press Enter to select this step.',
  'edge.a11yDescription.default': 'Press Enter to select this connection. Then press Delete to remove it.',
};
