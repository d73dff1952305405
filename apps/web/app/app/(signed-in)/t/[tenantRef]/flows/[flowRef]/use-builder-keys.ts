'use client';

import { useEffect, useRef, type RefObject } from 'react';
import type { Builder } from './use-builder.ts';
import type { Commands } from './use-commands.ts';

interface Keys {
  /** Around all of the builder. */
  root: RefObject<HTMLElement | null>;
  builder: Builder;
  commands: Commands;
  onSave(): void;
}

/**
 * Keys of the builder, also while nothing has the focus: what had it may just have been removed. In a field where one types they are
 * the field's own, but for saving.
 */
export function useBuilderKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { root } = latest.current;
      const { target } = event;
      if (!(target instanceof HTMLElement) || event.defaultPrevented) return;
      if (target !== document.body && !root.current?.contains(target)) return;
      const work = workOf(event, target, latest.current);
      if (work === undefined) return;
      event.preventDefault();
      work?.();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Undefined: not a key of ours. Null: one that has nothing to do now. */
function workOf(
  { key, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  target: HTMLElement,
  { root, builder, commands, onSave }: Keys,
): (() => void) | null | undefined {
  if (ctrlKey || metaKey) {
    const name = key.toLowerCase();
    if (name === 's') return onSave;
    if (isTyping(target)) return undefined;
    switch (name) {
      case 'z':
        return shiftKey ? builder.redo : builder.undo;
      case 'y':
        return builder.redo;
      case 'c':
        return hasSelectedText() ? undefined : commands.copy;
      case 'v':
        return commands.paste;
      case 'd':
        return commands.duplicate;
      case 'a':
        return isOnCanvas(target) ? commands.selectAll : undefined;
      default:
        return undefined;
    }
  }
  if ((key === 'Delete' || key === 'Backspace') && isOnCanvas(target) && builder.selection.size > 0) {
    return () => {
      commands.remove(builder.selection);
      root.current?.querySelector<HTMLElement>('.react-flow')?.focus();
    };
  }
  return undefined;
}

const isTyping = (target: HTMLElement): boolean =>
  target.closest('input,textarea,[contenteditable=true]') !== null;
const isOnCanvas = (target: HTMLElement): boolean =>
  !isTyping(target) && target.closest('.react-flow') !== null;
const hasSelectedText = (): boolean => window.getSelection()?.isCollapsed === false;
