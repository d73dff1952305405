'use client';

import { FileDrop, formatBytes } from '@clarion/ui';
import { useState } from 'react';
import { SOUND_ACCEPT, SOUND_MAX_BYTES } from '#lib/dashboard/audio/upload-sound.ts';
import { AudioDialog, SoundName } from './AudioDialog.tsx';
import { useUpload } from './use-upload.ts';

export function UploadAudio({ tenantRef, onClose }: { tenantRef: string; onClose(): void }) {
  const [file, setFile] = useState<File>();
  const [name, setName] = useState('');
  const sending = useUpload(tenantRef, onClose);
  const busy = sending.progress !== undefined;
  return (
    <AudioDialog
      title="Upload audio"
      keepOpen={busy}
      sending={sending}
      ready={file !== undefined}
      sendLabel="Upload"
      onSend={async () => {
        if (file) await sending.send(name.trim() === '' ? baseName(file) : name.trim(), async () => file);
      }}
      onClose={onClose}
    >
      <FileDrop
        label="WAV, MP3 or Ogg file"
        accept={SOUND_ACCEPT}
        maxBytes={SOUND_MAX_BYTES}
        hint={`Drop a file here or choose one, up to ${formatBytes(SOUND_MAX_BYTES)}`}
        disabled={busy}
        onFile={(chosen) => {
          sending.forget();
          setFile(chosen);
          setName((typed) => (typed === '' ? baseName(chosen) : typed));
        }}
      />
      <SoundName value={name} onChange={setName} disabled={busy} />
    </AudioDialog>
  );
}

const baseName = ({ name }: File): string => name.replace(/\.[^.]+$/, '') || name;
