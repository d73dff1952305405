'use client';

import { Drawer } from '@clarion/ui';
import { Fragment, type ReactNode } from 'react';
import { useMe } from '../me.tsx';
import { useLast } from './use-last.ts';

export interface ViewOrEditProps<T extends { ref: string }> {
  target: T | 'new' | null;
  onClose(): void;
  titleOf(row: T): string;
  /** For users who may not edit it. */
  facts(row: T): ReactNode;
  /** Null: a new one. Entered values are discarded when another row is opened. */
  form(row: T | null, open: boolean): ReactNode;
}

/** The drawer of a list page: a row to view or to edit, or a new one. */
export function ViewOrEdit<T extends { ref: string }>(props: ViewOrEditProps<T>) {
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
