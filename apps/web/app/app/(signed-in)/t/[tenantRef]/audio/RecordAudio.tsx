'use client';

import { Button, LiveTimer, Notice, Skeleton } from '@clarion/ui';
import { Mic, RotateCcw, Square } from 'lucide-react';
import dynamic from 'next/dynamic.js';
import { useEffect, useRef, useState } from 'react';
import { cutSound } from '#lib/dashboard/audio/cut-sound.ts';
import { TAKE_MAX_SECONDS, useRecorder } from '#lib/dashboard/audio/use-recorder.ts';
import { AudioDialog, SoundName } from './AudioDialog.tsx';
import { useUpload } from './use-upload.ts';

const WaveformTrim = dynamic(() => import('@clarion/ui/waveform').then((part) => part.WaveformTrim), {
  ssr: false,
  loading: () => <Skeleton className="h-16!" />,
});

const UNNAMED = 'Recorded audio';
const WHOLE = { from: 0, to: Infinity };

/** Record, play, trim and save audio, or record it again. */
export function RecordAudio({ tenantRef, onClose }: { tenantRef: string; onClose(): void }) {
  const { recorder, level, start, stop, again } = useRecorder();
  const sending = useUpload(tenantRef, onClose);
  const [part, setPart] = useState(WHOLE);
  const [name, setName] = useState('');
  const busy = sending.progress !== undefined;
  const taken = recorder.state === 'taken';
  return (
    <AudioDialog
      title="Record audio"
      description={`Record up to ${TAKE_MAX_SECONDS / 60} minutes with your microphone.`}
      keepOpen={recorder.state === 'recording' || taken}
      sending={sending}
      ready={taken}
      sendLabel="Save audio"
      onSend={async () => {
        if (!taken) return;
        const title = name.trim() === '' ? UNNAMED : name.trim();
        await sending.send(title, () => cutSound(recorder.take, part, title));
      }}
      onClose={onClose}
    >
      {recorder.state === 'refused' && <Notice tone="negative">{recorder.reason}</Notice>}
      {recorder.state === 'recording' ? (
        <div className="flex items-center gap-3">
          <Button tone="negative" icon={<Square className="size-4" aria-hidden />} onClick={stop}>
            Stop
          </Button>
          <LiveTimer since={recorder.since} />
          <Level level={level} />
        </div>
      ) : taken ? (
        <>
          <WaveformTrim blob={recorder.take} {...part} onChange={setPart} />
          <Button
            className="self-start"
            icon={<RotateCcw className="size-4" aria-hidden />}
            disabled={busy}
            onClick={() => {
              sending.forget();
              setPart(WHOLE);
              again();
              void start();
            }}
          >
            Record again
          </Button>
          <SoundName value={name} onChange={setName} placeholder={UNNAMED} disabled={busy} />
        </>
      ) : (
        <Button
          className="self-start"
          icon={<Mic className="size-4" aria-hidden />}
          busy={recorder.state === 'asking'}
          onClick={() => void start()}
        >
          Start recording
        </Button>
      )}
    </AudioDialog>
  );
}

/** The input level. Updated once per frame without React. */
function Level({ level }: { level(): number }) {
  const bar = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let frame = requestAnimationFrame(function draw() {
      if (bar.current) bar.current.style.transform = `scaleX(${level().toFixed(3)})`;
      frame = requestAnimationFrame(draw);
    });
    return () => cancelAnimationFrame(frame);
  }, [level]);
  return (
    <span
      role="img"
      aria-label="Input level"
      className="h-2 min-w-0 flex-1 overflow-hidden rounded-full bg-raised"
    >
      <span ref={bar} className="block h-full origin-left scale-x-0 rounded-full bg-positive" />
    </span>
  );
}
