'use client';

import { useEffect, useState } from 'react';
import { place } from '../../../../../../../lib/flow-builder/draft.ts';
import type { Draft, Point } from '../../../../../../../lib/flow-builder/draft.ts';

const BELOW_THE_REST = 160;
const BESIDE = 280;

/** A flow that came without positions is laid out; one of which some are known keeps those. Null: not ready yet. */
export function usePlaced(draft: Draft): Draft | null {
  const isPlaced = draft.nodes.every(({ position }) => position !== null);
  const [placed, setPlaced] = useState(isPlaced ? draft : null);
  useEffect(() => {
    if (placed !== null) return;
    let gone = false;
    void positionsFor(draft).then((positions) => {
      if (!gone) setPlaced(place(draft, positions));
    });
    return () => {
      gone = true;
    };
  }, [draft, placed]);
  return placed;
}

async function positionsFor(draft: Draft): Promise<Map<string, Point>> {
  const known = draft.nodes.flatMap(({ position }) => position ?? []);
  if (known.length === 0) {
    const { layOut } = await import('../../../../../../../lib/flow-builder/layout.ts');
    return layOut(draft, new Map());
  }
  const y = Math.max(...known.map((point) => point.y)) + BELOW_THE_REST;
  const x = Math.min(...known.map((point) => point.x));
  const lost = draft.nodes.filter(({ position }) => position === null);
  return new Map(lost.map(({ id }, index) => [id, { x: x + index * BESIDE, y }]));
}
