'use client';

import { Button, Dialog, Notice, TextField } from '@clarion/ui';
import { useState } from 'react';
import { readPasted } from './queue-draft.ts';

interface PasteMembersProps {
  open: boolean;
  onClose(): void;
  /** Every agent of the tenant. */
  known: readonly string[];
  members: readonly string[];
  onAdd(refs: readonly string[]): void;
}

/** Adds many members, for example pasted from a spreadsheet. */
export function PasteMembers({ open, onClose, known, members, onAdd }: PasteMembersProps) {
  const [text, setText] = useState('');
  const { add, there, unknown } = readPasted(text, known, members);
  const close = () => {
    setText('');
    onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || close()}
      title="Paste agent refs"
      description="One per line or separated by commas."
      footer={
        <Button
          tone="accent"
          disabled={add.length === 0}
          onClick={() => {
            onAdd(add);
            close();
          }}
        >
          {add.length === 0 ? 'Add' : `Add ${add.length}`}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <TextField label="Refs" multiline={8} mono value={text} onValueChange={setText} />
        {there.length > 0 && <Notice>Already members: {there.join(', ')}.</Notice>}
        {unknown.length > 0 && (
          <Notice tone="warning" title="Unknown agents">
            {unknown.join(', ')}. They are not added. Create these agents first.
          </Notice>
        )}
      </div>
    </Dialog>
  );
}
