'use client';

/** The flow that is drawn: its history, what is selected, what is wrong with it and whether it is saved. */
import { useCallback, useMemo, useState } from 'react';
import { idsOf, isSame } from '../../../../../../../lib/flow-builder/draft.ts';
import type { Draft } from '../../../../../../../lib/flow-builder/draft.ts';
import { begin, commit, redo, settle, undo } from '../../../../../../../lib/flow-builder/history.ts';
import { changedProblems, placeOf, problemsOf } from '../../../../../../../lib/flow-builder/problems.ts';
import type { Problem } from '../../../../../../../lib/flow-builder/problems.ts';
import type { World } from './use-world.ts';

export interface Builder {
  draft: Draft;
  world: World;
  /** False: it is only looked at. */
  editable: boolean;
  problems: readonly Problem[];
  /** Those that are shown: of a new flow nobody has saved yet, only where something was changed. */
  shownProblems: readonly Problem[];
  /** Shows all of them, as when a flow could not be saved. */
  showAllProblems(): void;
  /** It is not stored as it is now. */
  isDirty: boolean;
  /** Somebody's work would be lost: a flow that was only begun is none yet. */
  hasChanges: boolean;
  /** @param tag changes in a row with one tag are one step of undo */
  change(next: (draft: Draft) => Draft, tag?: string): void;
  /** What comes next is a step of its own. */
  settle(): void;
  undo: (() => void) | null;
  redo: (() => void) | null;
  selection: ReadonlySet<string>;
  select(ids: Iterable<string>): void;
  /** It is stored as it is now. */
  markSaved(draft: Draft): void;
  /** Takes what somebody else stored: a change like any other, that can be taken back. */
  takeOver(draft: Draft): void;
  /** What the service refused, until its place is changed. */
  refuse(problem: Problem): void;
}

export function useBuilder(initial: Draft, world: World, isStored: boolean, editable: boolean): Builder {
  const [history, setHistory] = useState(() => begin(initial));
  const [saved, setSaved] = useState<Draft | null>(isStored ? initial : null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set());
  const [refused, setRefused] = useState<{ problem: Problem; of: unknown } | null>(null);
  const [showsAll, setShowsAll] = useState(isStored);
  const { present: draft, past, future } = history;

  const own = useMemo(() => problemsOf(draft, world.ids), [draft, world]);
  const stands = refused !== null && refused.of === placeOf(draft, refused.problem);
  const problems = useMemo(
    () => (refused !== null && stands ? [...own, refused.problem] : own),
    [own, refused, stands],
  );

  const shownProblems = useMemo(
    () => (showsAll ? problems : changedProblems(problems, initial, draft)),
    [problems, showsAll, initial, draft],
  );

  const hasChanges = useMemo(() => !isSame(saved ?? initial, draft), [saved, initial, draft]);
  // A step may go by undoing what brought it.
  const selection = useMemo(() => {
    const ids = idsOf(draft);
    return [...chosen].every((id) => ids.has(id)) ? chosen : new Set([...chosen].filter((id) => ids.has(id)));
  }, [draft, chosen]);

  const change = useCallback((next: (draft: Draft) => Draft, tag?: string) => {
    setHistory((before) => commit(before, next(before.present), tag ?? null));
  }, []);
  const select = useCallback((ids: Iterable<string>) => {
    const next = new Set(ids);
    setChosen((before) =>
      before.size === next.size && [...next].every((id) => before.has(id)) ? before : next,
    );
  }, []);
  return {
    draft,
    world,
    editable,
    problems,
    shownProblems,
    showAllProblems: () => setShowsAll(true),
    isDirty: saved === null || hasChanges,
    hasChanges,
    change,
    settle: useCallback(() => setHistory(settle), []),
    undo: past.length > 0 ? () => setHistory(undo) : null,
    redo: future.length > 0 ? () => setHistory(redo) : null,
    selection,
    select,
    markSaved: setSaved,
    takeOver: (next) => {
      change(() => next);
      setSaved(next);
      setRefused(null);
    },
    refuse: (problem) => {
      setShowsAll(true);
      setRefused({ problem, of: placeOf(draft, problem) });
    },
  };
}
