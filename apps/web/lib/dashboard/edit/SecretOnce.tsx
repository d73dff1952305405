'use client';

import { Button, CheckboxField, Dialog, KeyValueCode, Notice } from '@clarion/ui';
import { useState, type ReactNode } from 'react';

export interface Issued {
  /** "API key", "Webhook secret" */
  what: string;
  secret: string;
  /** Other values that go with it, such as the kid. */
  more?: readonly { label: string; text: string }[];
  /** Where to store it. */
  hint: ReactNode;
}

/** Shows a secret that is returned only once. It cannot be closed by accident. */
export function SecretOnce({ issued, onClose }: { issued: Issued | null; onClose(): void }) {
  const [stored, setStored] = useState(false);
  const [shown, setShown] = useState(issued);
  if (issued !== null && issued !== shown) {
    setShown(issued);
    setStored(false);
  }
  if (shown === null) return null;
  const close = () => {
    onClose();
    // Remove the secret from the page after it was stored.
    setShown(null);
  };
  return (
    <Dialog
      open={issued !== null}
      onOpenChange={(next) => {
        if (!next && stored) close();
      }}
      keepOpen
      title={`${shown.what}: copy it now`}
      footer={
        <Button tone="accent" disabled={!stored} onClick={close}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Notice tone="warning">
          It is shown only once and cannot be retrieved later. If you lose it, create a new one.
        </Notice>
        <KeyValueCode label={shown.what} text={shown.secret} />
        {shown.more?.map(({ label, text }) => (
          <KeyValueCode key={label} label={label} text={text} />
        ))}
        <div className="text-muted">{shown.hint}</div>
        <CheckboxField label="I have stored it" checked={stored} onCheckedChange={setStored} />
      </div>
    </Dialog>
  );
}
