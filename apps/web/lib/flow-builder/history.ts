/** Undo and redo: every change is one step, and changes of one field in a row are one. */
export interface History<T> {
  past: readonly T[];
  present: T;
  future: readonly T[];
  /** What the last change was of; one of the same joins it. */
  tag: string | null;
}

const MAX_STEPS = 200;

export const begin = <T>(present: T): History<T> => ({ past: [], present, future: [], tag: null });

/** @param tag changes in a row with the same tag are one step; null: a step of its own */
export function commit<T>(history: History<T>, next: T, tag: string | null = null): History<T> {
  if (next === history.present) return history;
  const joins = tag !== null && tag === history.tag;
  const past = joins ? history.past : [...history.past, history.present].slice(-MAX_STEPS);
  return { past, present: next, future: [], tag };
}

export function undo<T>({ past, present, future, tag }: History<T>): History<T> {
  const before = past.at(-1);
  return before === undefined
    ? { past, present, future, tag }
    : { past: past.slice(0, -1), present: before, future: [present, ...future], tag: null };
}

export function redo<T>({ past, present, future, tag }: History<T>): History<T> {
  const [after, ...later] = future;
  return after === undefined
    ? { past, present, future, tag }
    : { past: [...past, present], present: after, future: later, tag: null };
}

/** The next change begins a step of its own. */
export const settle = <T>(history: History<T>): History<T> => ({ ...history, tag: null });
