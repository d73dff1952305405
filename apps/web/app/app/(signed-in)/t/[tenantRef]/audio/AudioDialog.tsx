import { Button, Dialog, Form, Notice, ProgressBar, Stack, TextField } from '@clarion/ui';
import { useId, type ReactNode } from 'react';
import type { Upload } from './use-upload.ts';

interface AudioDialogProps {
  title: string;
  description?: string;
  /** Clicking outside does not close it. */
  keepOpen: boolean;
  sending: Upload;
  /** There is audio to upload. */
  ready: boolean;
  sendLabel: string;
  onSend(): Promise<void>;
  onClose(): void;
  children: ReactNode;
}

/** The dialog box of an upload: progress, error and cancel button. */
export function AudioDialog(props: AudioDialogProps) {
  const { title, description, keepOpen, sending, ready, sendLabel, onSend, onClose, children } = props;
  const { progress, problem } = sending;
  const form = useId();
  const busy = progress !== undefined;
  return (
    <Dialog
      open
      keepOpen={keepOpen}
      onOpenChange={(open) => !open && onClose()}
      title={title}
      {...(description !== undefined && { description })}
      footer={
        <>
          <Button onClick={onClose}>{busy ? 'Stop' : 'Cancel'}</Button>
          <Button type="submit" form={form} tone="accent" disabled={!ready} busy={busy}>
            {sendLabel}
          </Button>
        </>
      }
    >
      <Form
        id={form}
        busy={busy}
        onSubmit={async () => {
          if (ready) await onSend();
        }}
      >
        <Stack>
          {children}
          {problem !== undefined && <Notice tone="negative">{problem}</Notice>}
          {progress !== undefined && (
            <ProgressBar
              label={progress === null ? 'Processing' : `Uploading, ${progress}%`}
              value={progress}
            />
          )}
        </Stack>
      </Form>
    </Dialog>
  );
}

interface AudioNameProps {
  value: string;
  onChange(value: string): void;
  placeholder?: string;
  disabled: boolean;
}

export function AudioName({ value, onChange, placeholder, disabled }: AudioNameProps) {
  return (
    <TextField
      name="name"
      label="Name"
      hint="Shown in flows and queues."
      {...(placeholder !== undefined && { placeholder })}
      value={value}
      onValueChange={onChange}
      disabled={disabled}
    />
  );
}
