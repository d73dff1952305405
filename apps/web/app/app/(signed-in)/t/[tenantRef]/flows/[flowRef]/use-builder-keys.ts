'use client';

import { useEffect, useRef, type RefObject } from 'react';
import { clipText, readClip } from '#lib/flow-builder/unsaved-draft.ts';
import type { Builder } from './use-builder.ts';
import type { Commands } from './use-commands.ts';

interface Keys {
  /** The root element of the builder. */
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
    // An edge on the canvas can have the focus and is an SVG element.
    const targetOf = (event: Event): Element | null => {
      const { root } = latest.current;
      const { target } = event;
      if (!(target instanceof Element) || event.defaultPrevented) return null;
      return target === document.body || root.current?.contains(target) ? target : null;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const target = targetOf(event);
      const work = target === null ? undefined : workOf(event, target, latest.current);
      if (work === undefined) return;
      event.preventDefault();
      work?.();
    };
    const onClipboard = (event: ClipboardEvent) => {
      const target = targetOf(event);
      if (target !== null && !isTyping(target) && takesClipboard(event, latest.current))
        event.preventDefault();
    };
    const clipboard = ['copy', 'cut', 'paste'] as const;
    document.addEventListener('keydown', onKeyDown);
    for (const type of clipboard) document.addEventListener(type, onClipboard);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      for (const type of clipboard) document.removeEventListener(type, onClipboard);
    };
  }, []);
}

/** Undefined: not a key of ours. Null: one that has nothing to do now. */
function workOf(
  { key, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  target: Element,
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

/** Steps are copied as text on the system's clipboard, so that they can be pasted into any other flow that is open. False: not ours. */
function takesClipboard(
  { type, clipboardData }: ClipboardEvent,
  { root, builder: { editable, selection }, commands }: Keys,
): boolean {
  if (clipboardData === null) return false;
  if (type === 'paste') {
    const clip = editable ? readClip(clipboardData.getData('text/plain')) : null;
    if (clip !== null) commands.paste(clip);
    return clip !== null;
  }
  const clip = commands.copied();
  if (hasSelectedText() || clip.nodes.length === 0) return false;
  clipboardData.setData('text/plain', clipText(clip));
  if (type === 'cut' && editable) {
    commands.remove(selection);
    root.current?.querySelector<HTMLElement>('.react-flow')?.focus();
  }
  return true;
}

const isTyping = (target: Element): boolean =>
  target.closest('input,textarea,[contenteditable=true]') !== null;
const isOnCanvas = (target: Element): boolean => !isTyping(target) && target.closest('.react-flow') !== null;
const hasSelectedText = (): boolean => window.getSelection()?.isCollapsed === false;
