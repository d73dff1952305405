'use client';

import { Button, Dialog, FileDrop, Form, formatBytes, Notice, Stack, TextField } from '@clarion/ui';
import { useState } from 'react';
import { SOUND_ACCEPT, SOUND_MAX_BYTES } from '../../../../../../lib/dashboard/audio/upload-sound.ts';
import { SendingProgress } from './SendingProgress.tsx';
import { useSending } from './use-sending.ts';

const FORM = 'upload-sound';

export function UploadSound({ tenantRef, onClose }: { tenantRef: string; onClose(): void }) {
  const [file, setFile] = useState<File>();
  const [name, setName] = useState('');
  const { progress, problem, send, forget } = useSending(tenantRef, onClose);
  const busy = progress !== undefined;
  return (
    <Dialog
      open
      keepOpen={busy}
      onOpenChange={(open) => !open && onClose()}
      title="Upload a sound"
      footer={
        <>
          <Button onClick={onClose}>{busy ? 'Stop' : 'Cancel'}</Button>
          <Button type="submit" form={FORM} tone="accent" disabled={file === undefined} busy={busy}>
            Upload
          </Button>
        </>
      }
    >
      <Form
        id={FORM}
        busy={busy}
        onSubmit={async () => {
          if (file) await send(name.trim() === '' ? baseName(file) : name.trim(), async () => file);
        }}
      >
        <Stack>
          <FileDrop
            label="A WAV, MP3 or Ogg file"
            accept={SOUND_ACCEPT}
            maxBytes={SOUND_MAX_BYTES}
            hint={`Drop it here or choose it, up to ${formatBytes(SOUND_MAX_BYTES)}`}
            disabled={busy}
            onFile={(chosen) => {
              forget();
              setFile(chosen);
              setName((typed) => (typed === '' ? baseName(chosen) : typed));
            }}
          />
          <TextField
            name="name"
            label="Name"
            hint="What flows and queues list it by."
            value={name}
            onValueChange={setName}
            disabled={busy}
          />
          {problem !== undefined && <Notice tone="negative">{problem}</Notice>}
          <SendingProgress progress={progress} />
        </Stack>
      </Form>
    </Dialog>
  );
}

const baseName = ({ name }: File): string => name.replace(/\.[^.]+$/, '') || name;
