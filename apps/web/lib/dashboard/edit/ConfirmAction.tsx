'use client';

import { ConfirmDialog, Notice, type ConfirmDialogProps } from '@clarion/ui';
import { useState } from 'react';
import { RequestProblem } from '../request.ts';
import { problemSentence } from './problem-words.ts';

export interface ConfirmActionProps extends Omit<ConfirmDialogProps, 'onConfirm' | 'onOpenChange'> {
  onClose(): void;
  /** Throws a RequestProblem when it is refused, which the dialog says. Closes it when it resolves. */
  onConfirm(): Promise<unknown>;
}

/** Asks before something that cannot be taken back, and says when the service refuses it. */
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
          setProblem(problemSentence(refusal));
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
