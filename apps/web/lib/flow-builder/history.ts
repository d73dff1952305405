/** Undo and redo. Each change is one step; consecutive changes of one field are one step. */
export interface History<T> {
  past: readonly T[];
  present: T;
  future: readonly T[];
  /** The tag of the last change; a change with the same tag is merged into it. */
  tag: string | null;
}

const MAX_STEPS = 200;

export const begin = <T>(present: T): History<T> => ({ past: [], present, future: [], tag: null });

/** @param tag consecutive changes with the same tag are one step; null: a separate step */
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

/** The next change starts a new step. */
export const settle = <T>(history: History<T>): History<T> => ({ ...history, tag: null });
