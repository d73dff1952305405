'use client';

import { Button, Dialog, Form, LiveTimer, Notice, Skeleton, Stack, TextField } from '@clarion/ui';
import { Mic, RotateCcw, Square } from 'lucide-react';
import dynamic from 'next/dynamic.js';
import { useEffect, useRef, useState } from 'react';
import { cutSound } from '../../../../../../lib/dashboard/audio/cut-sound.ts';
import { TAKE_MAX_SECONDS, useRecorder } from '../../../../../../lib/dashboard/audio/use-recorder.ts';
import { SendingProgress } from './SendingProgress.tsx';
import { useSending } from './use-sending.ts';

const WaveformTrim = dynamic(() => import('@clarion/ui/waveform').then((part) => part.WaveformTrim), {
  ssr: false,
  loading: () => <Skeleton className="h-16!" />,
});

const FORM = 'record-sound';
const WHOLE = { from: 0, to: Infinity };

/** Speak, listen, cut the ends, save; or speak again. */
export function RecordSound({ tenantRef, onClose }: { tenantRef: string; onClose(): void }) {
  const { recorder, level, start, stop, again } = useRecorder();
  const { progress, problem, send, forget } = useSending(tenantRef, onClose);
  const [part, setPart] = useState(WHOLE);
  const [name, setName] = useState('');
  const busy = progress !== undefined;
  const taken = recorder.state === 'taken';
  return (
    <Dialog
      open
      keepOpen={recorder.state === 'recording' || taken}
      onOpenChange={(open) => !open && onClose()}
      title="Record a sound"
      description={`Speak as you would to a caller, for ${TAKE_MAX_SECONDS / 60} minutes at most.`}
      footer={
        <>
          <Button onClick={onClose}>{busy ? 'Stop' : 'Cancel'}</Button>
          <Button type="submit" form={FORM} tone="accent" disabled={!taken} busy={busy}>
            Save sound
          </Button>
        </>
      }
    >
      <Form
        id={FORM}
        busy={busy}
        onSubmit={async () => {
          if (!taken) return;
          const title = name.trim() === '' ? 'Recorded sound' : name.trim();
          await send(title, () => cutSound(recorder.take, part, title));
        }}
      >
        <Stack>
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
                  forget();
                  setPart(WHOLE);
                  again();
                  void start();
                }}
              >
                Record again
              </Button>
              <TextField
                name="name"
                label="Name"
                hint="What flows and queues list it by."
                placeholder="Recorded sound"
                value={name}
                onValueChange={setName}
                disabled={busy}
              />
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
          {problem !== undefined && <Notice tone="negative">{problem}</Notice>}
          <SendingProgress progress={progress} />
        </Stack>
      </Form>
    </Dialog>
  );
}

/** How loud the microphone is: a bar that moves with the voice. Drawn past React, once a frame. */
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
      aria-label="How loud you are"
      className="h-2 min-w-0 flex-1 overflow-hidden rounded-full bg-raised"
    >
      <span ref={bar} className="block h-full origin-left scale-x-0 rounded-full bg-positive" />
    </span>
  );
}
