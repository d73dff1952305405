import { Dialog } from '@base-ui/react/dialog';
import { Meter } from '@base-ui/react/meter';
import { Headphones, Mic, Volume2, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../actions/Button.tsx';
import { ChoiceSelect, type Choice } from '../forms/ChoiceSelect.tsx';
import type { PhoneActions, PhoneDevice, PhoneDevices } from './model.ts';

const DEFAULT = 'default';

interface DevicesDialogProps {
  open: boolean;
  devices: PhoneDevices;
  actions: PhoneActions;
  onClose(): void;
}

/** Which microphone and speaker calls use, and whether they work. */
export function DevicesDialog({ open, devices, actions, onClose }: DevicesDialogProps) {
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-backdrop" />
        <Dialog.Popup className="cl-rise fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[24rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col gap-5 overflow-y-auto rounded-card border border-line bg-surface p-6 font-sans text-ink shadow-card outline-hidden">
          <div className="flex items-start justify-between gap-4">
            <div>
              <Dialog.Title className="text-lg font-semibold">Audio devices</Dialog.Title>
              <Dialog.Description className="mt-0.5 text-sm text-muted">
                Changes take effect at once, also during a call.
              </Dialog.Description>
            </div>
            <Dialog.Close
              aria-label="Close"
              className="cl-focus -mt-2 -mr-2 grid size-11 place-items-center rounded-control text-muted transition-colors hover:bg-raised hover:text-ink"
            >
              <X className="size-5" aria-hidden />
            </Dialog.Close>
          </div>

          <div className="flex flex-col gap-3">
            <ChoiceSelect
              label="Microphone"
              icon={<Mic className="size-4" aria-hidden />}
              value={devices.microphoneId ?? DEFAULT}
              choices={choicesOf(devices.microphones, devices.microphoneId, 'Microphone')}
              onChoose={(id) => actions.setMicrophone(id === DEFAULT ? null : id)}
            />
            {open && <LevelTest key={devices.microphoneId} watchLevel={actions.watchLevel} />}
          </div>

          <div className="flex flex-col gap-3">
            <ChoiceSelect
              label="Speaker"
              icon={<Headphones className="size-4" aria-hidden />}
              value={devices.speakerId ?? DEFAULT}
              choices={choicesOf(devices.speakers, devices.speakerId, 'Speaker')}
              onChoose={(id) => actions.setSpeaker(id === DEFAULT ? null : id)}
            />
            <Button size="lg" className="self-start text-sm" onClick={actions.testSpeaker}>
              <Volume2 className="size-4" aria-hidden /> Play a sound
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The default first. A chosen device that is unplugged stays in the list, so that the choice can be seen. */
function choicesOf(devices: PhoneDevice[], chosen: string | null, what: string): Choice[] {
  const gone = chosen !== null && !devices.some(({ id }) => id === chosen);
  return [
    { value: DEFAULT, label: 'System default' },
    ...devices.map(({ id, label }, index) => ({ value: id, label: label || `${what} ${index + 1}` })),
    ...(gone ? [{ value: chosen, label: 'Your chosen one (unplugged)' }] : []),
  ];
}

type Level = { at: 'waiting' } | { at: 'measured'; level: number } | { at: 'refused' };

function LevelTest({ watchLevel }: Pick<PhoneActions, 'watchLevel'>) {
  const [level, setLevel] = useState<Level>({ at: 'waiting' });
  useEffect(() => {
    let over = false;
    let stop: (() => void) | undefined;
    watchLevel((measured) => setLevel({ at: 'measured', level: measured })).then(
      (stopWatching) => {
        if (over) stopWatching();
        else stop = stopWatching;
      },
      () => {
        if (!over) setLevel({ at: 'refused' });
      },
    );
    return () => {
      over = true;
      stop?.();
    };
  }, [watchLevel]);

  if (level.at === 'refused')
    return (
      <p className="text-sm text-negative">
        The microphone cannot be used. Check that it is plugged in and allowed for this page.
      </p>
    );
  return (
    <Meter.Root
      value={level.at === 'measured' ? Math.round(level.level * 100) : 0}
      className="flex flex-col gap-1.5"
    >
      <Meter.Label className="text-sm text-muted">Say something: the bar should move.</Meter.Label>
      <Meter.Track className="h-2 overflow-hidden rounded-full bg-pressed">
        <Meter.Indicator className="rounded-full bg-positive motion-safe:transition-[width] motion-safe:duration-75" />
      </Meter.Track>
    </Meter.Root>
  );
}
