'use client';

import { Drawer } from '@clarion/ui';
import { Fragment, type ReactNode } from 'react';
import { useMe } from '../me.tsx';
import { useLast } from './use-last.ts';

export interface LookOrEditProps<T extends { ref: string }> {
  target: T | 'new' | null;
  onClose(): void;
  titleOf(row: T): string;
  /** For those who may not change it. */
  facts(row: T): ReactNode;
  /** Null: a new one. What was entered is gone once another row is open. */
  form(row: T | null, open: boolean): ReactNode;
}

/** What opens beside a list: one of its rows, to look at or to edit, or a new one. */
export function LookOrEdit<T extends { ref: string }>(props: LookOrEditProps<T>) {
  const { target, onClose, titleOf, facts, form } = props;
  const me = useMe();
  const shown = useLast(target);
  if (shown === null) return null;
  const open = target !== null;
  if (shown === 'new') return <Fragment key=" new">{form(null, open)}</Fragment>;
  if (me.may('manage')) return <Fragment key={shown.ref}>{form(shown, open)}</Fragment>;
  return (
    <Drawer open={open} onOpenChange={(next) => next || onClose()} title={titleOf(shown)}>
      {facts(shown)}
    </Drawer>
  );
}
