'use client';

import { Button, DateTime, Dialog } from '@clarion/ui';
import { useLast } from '../../../../../../../lib/dashboard/edit/use-last.ts';
import type { Flow } from '../../../../../../../lib/dashboard/edit/resources.ts';
import type { Other } from './use-saving.tsx';

interface OtherDialogProps {
  /** Null: there is nothing to ask. */
  other: Other | null;
  /** What is drawn here was never stored. */
  isNew: boolean;
  onTheirs(theirs: Flow): void;
  onMine(): void;
  onClose(): void;
}

/** Somebody else was here since the flow was read: whose work is to stay. */
export function OtherDialog({ other: asked, isNew, onTheirs, onMine, onClose }: OtherDialogProps) {
  const other = useLast(asked);
  const isDeleted = other === 'deleted';
  return (
    <Dialog
      open={asked !== null}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      size="sm"
      title={
        isDeleted
          ? 'Somebody deleted this flow'
          : isNew
            ? 'There is a flow with this ref already'
            : 'Somebody else saved this flow'
      }
      footer={
        <>
          <Button onClick={onClose}>Go on drawing</Button>
          {other !== null && !isDeleted && <Button onClick={() => onTheirs(other)}>Take theirs</Button>}
          <Button tone="negative" onClick={onMine}>
            {isDeleted ? 'Save it again' : 'Save mine over it'}
          </Button>
        </>
      }
    >
      {isDeleted ? (
        'It went while you drew. Saving brings it back as it is drawn here, and calls to its line reach it again if it is active.'
      ) : (
        <>
          It was saved <DateTime at={other?.updatedAt ?? new Date(0).toISOString()} />. Saving yours replaces
          what they did, and that cannot be undone. If you take theirs, Undo brings yours back.
        </>
      )}
    </Dialog>
  );
}
