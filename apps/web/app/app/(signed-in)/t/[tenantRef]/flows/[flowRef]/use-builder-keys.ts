'use client';

import type { KeyboardEvent } from 'react';
import type { Builder } from './use-builder.ts';
import type { Commands } from './use-commands.ts';

interface Keys {
  builder: Builder;
  commands: Commands;
  onSave(): void;
}

/** Keys of the builder. In a field where one types they are the field's own, but for saving. */
export function useBuilderKeys({ builder, commands, onSave }: Keys) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const { key, ctrlKey, metaKey, shiftKey, target } = event;
    const withCommand = ctrlKey || metaKey;
    const work = withCommand
      ? {
          s: onSave,
          ...(!isTyping(target) && {
            z: shiftKey ? builder.redo : builder.undo,
            y: builder.redo,
            c: hasSelectedText() ? undefined : commands.copy,
            v: commands.paste,
            d: commands.duplicate,
            a: isOnCanvas(target) ? commands.selectAll : undefined,
          }),
        }[key.toLowerCase()]
      : isOnCanvas(target) && (key === 'Delete' || key === 'Backspace') && builder.selection.size > 0
        ? () => commands.remove(builder.selection)
        : undefined;
    if (work === undefined) return;
    event.preventDefault();
    work?.();
  };
}

const isTyping = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.closest('input,textarea,[contenteditable=true]') !== null;
const isOnCanvas = (target: EventTarget): boolean =>
  target instanceof HTMLElement && !isTyping(target) && target.closest('.react-flow') !== null;
const hasSelectedText = (): boolean => window.getSelection()?.isCollapsed === false;
