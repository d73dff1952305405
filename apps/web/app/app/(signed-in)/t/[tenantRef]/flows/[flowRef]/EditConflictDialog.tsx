'use client';

import { Button, DateTime, Dialog } from '@clarion/ui';
import { useLast } from '#lib/dashboard/edit/use-last.ts';
import type { Flow } from '#lib/dashboard/edit/resources.ts';
import type { Other } from './use-saving.tsx';

interface EditConflictDialogProps {
  /** Null: there is no conflict. */
  other: Other | null;
  /** The draft was never stored. */
  isNew: boolean;
  onTheirs(theirs: Flow): void;
  onMine(): void;
  onClose(): void;
}

/** Another user saved or deleted the flow since it was loaded: asks which version to keep. */
export function EditConflictDialog({
  other: asked,
  isNew,
  onTheirs,
  onMine,
  onClose,
}: EditConflictDialogProps) {
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
          ? 'This flow was deleted'
          : isNew
            ? 'A flow with this ref already exists'
            : 'Someone else saved this flow'
      }
      footer={
        <>
          <Button onClick={onClose}>Keep editing</Button>
          {other !== null && !isDeleted && <Button onClick={() => onTheirs(other)}>Use their version</Button>}
          <Button tone="negative" onClick={onMine}>
            {isDeleted ? 'Save again' : 'Overwrite with mine'}
          </Button>
        </>
      }
    >
      {isDeleted ? (
        'The flow was deleted while you were editing it. Saving creates it again from this version. If it is active, it answers calls to its line.'
      ) : (
        <>
          It was saved <DateTime at={other?.updatedAt ?? new Date(0).toISOString()} />. Overwriting replaces
          their changes and cannot be undone. If you use their version, you can undo to get yours back.
        </>
      )}
    </Dialog>
  );
}
