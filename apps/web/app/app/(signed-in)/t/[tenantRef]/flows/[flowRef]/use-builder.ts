'use client';

/** The state of the flow builder: draft, history, selection, errors and whether it is saved. */
import { useCallback, useMemo, useState } from 'react';
import { idsOf, isSame } from '#lib/flow-builder/draft.ts';
import type { Draft } from '#lib/flow-builder/draft.ts';
import { begin, commit, redo, settle, undo } from '#lib/flow-builder/history.ts';
import { changedProblems, placeOf, problemsOf } from '#lib/flow-builder/problems.ts';
import type { Problem } from '#lib/flow-builder/problems.ts';
import type { FlowResources } from './use-flow-resources.ts';

export interface Builder {
  draft: Draft;
  world: FlowResources;
  /** False: read-only. */
  editable: boolean;
  problems: readonly Problem[];
  /** The errors to show. Before a new flow is first saved, only those of changed steps. */
  shownProblems: readonly Problem[];
  /** Shows all errors, for example after a failed save. */
  showAllProblems(): void;
  /** The draft differs from the stored flow. */
  isDirty: boolean;
  /** The user's work would be lost. An unchanged new flow has no changes. */
  hasChanges: boolean;
  /** @param tag consecutive changes with the same tag are one undo step */
  change(next: (draft: Draft) => Draft, tag?: string): void;
  /** The next change starts a new undo step. */
  settle(): void;
  undo: (() => void) | null;
  redo: (() => void) | null;
  selection: ReadonlySet<string>;
  select(ids: Iterable<string>): void;
  /** The draft was stored. */
  markSaved(draft: Draft): void;
  /** Replaces the draft with another user's version, as a change that can be undone. */
  takeOver(draft: Draft): void;
  /** An error of the service, shown until the field is changed. */
  refuse(problem: Problem): void;
}

export function useBuilder(
  initial: Draft,
  world: FlowResources,
  isStored: boolean,
  editable: boolean,
): Builder {
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
  // Undo can remove a selected step.
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
