'use client';

import { ConfirmDialog, Notice, type ConfirmDialogProps } from '@clarion/ui';
import { useState } from 'react';
import { RequestProblem } from '../request.ts';
import { problemMessage } from './error-messages.ts';

export interface ConfirmActionProps extends Omit<ConfirmDialogProps, 'onConfirm' | 'onOpenChange'> {
  onClose(): void;
  /** May throw a RequestProblem, which the dialog box shows. Closes it when it resolves. */
  onConfirm(): Promise<unknown>;
}

/** Confirms an action that cannot be undone, and shows why the service rejected it. */
export function ConfirmAction({ onClose, onConfirm, children, ...dialog }: ConfirmActionProps) {
  const [problem, setProblem] = useState<string>();
  const close = () => {
    setProblem(undefined);
    onClose();
  };
  return (
    <ConfirmDialog
      {...dialog}
      onOpenChange={(open) => {
        if (!open) close();
      }}
      onConfirm={async () => {
        setProblem(undefined);
        try {
          await onConfirm();
          close();
        } catch (refusal) {
          if (!(refusal instanceof RequestProblem)) throw refusal;
          setProblem(problemMessage(refusal));
        }
      }}
    >
      {children}
      {problem !== undefined && (
        <Notice tone="negative" className="mt-3">
          {problem}
        </Notice>
      )}
    </ConfirmDialog>
  );
}
