import { Meter } from '@base-ui/react/meter';
import { Headphones, Mic, Volume2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../actions/Button.tsx';
import { ChoiceSelect, type Choice } from '../forms/ChoiceSelect.tsx';
import type { PhoneActions, PhoneDevice, PhoneModel, PhoneWebPush } from './model.ts';
import { Sheet } from './Sheet.tsx';
import { Toggle } from './Toggle.tsx';

const DEFAULT = 'default';

interface SettingsSheetProps {
  model: PhoneModel;
  actions: PhoneActions;
  onClose(): void;
}

/** Selects and tests the microphone and speaker, and sets do not disturb and whether calls ring while the phone is closed. */
export function SettingsSheet({ model: { devices, agent, webPush }, actions, onClose }: SettingsSheetProps) {
  const { setDoNotDisturb } = actions;
  return (
    <Sheet title="Settings" onClose={onClose}>
      <p className="text-sm text-muted">Changes take effect immediately, even during a call.</p>
      <div className="flex flex-col gap-3">
        <ChoiceSelect
          label="Microphone"
          icon={<Mic className="size-4" aria-hidden />}
          value={devices.microphoneId ?? DEFAULT}
          choices={choicesOf(devices.microphones, devices.microphoneId, 'Microphone')}
          onChoose={(id) => actions.setMicrophone(id === DEFAULT ? null : id)}
        />
        <LevelTest key={devices.microphoneId} watchLevel={actions.watchLevel} />
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
          <Volume2 className="size-4" aria-hidden /> Play a test tone
        </Button>
      </div>
      {agent && setDoNotDisturb && (
        <Toggle
          label="Do not disturb"
          note="Calls to your personal line do not ring. Queue calls follow your availability."
          on={agent.doNotDisturb}
          onChange={setDoNotDisturb}
        />
      )}
      {webPush && (
        <Toggle
          label="Ring when this tab is closed"
          note={webPushNotes[webPush.state]}
          error={webPush.error}
          on={webPush.state === 'on'}
          disabled={webPush.state === 'asking'}
          onChange={actions.setWebPush}
        />
      )}
    </Sheet>
  );
}

const webPushNotes: Record<PhoneWebPush['state'], string> = {
  off: 'Calls show a notification, for which the browser needs your permission.',
  asking: 'Allow notifications when the browser asks.',
  on: 'Calls show a notification while the browser is running. Click it to open the phone.',
  blocked:
    'The browser blocks notifications for this page. Allow them in its settings for this site, next to the address, and try again.',
};

/** The default comes first. A selected device stays in the list when it is unplugged, so that the selection remains visible. */
function choicesOf(devices: PhoneDevice[], chosen: string | null, what: string): Choice[] {
  const gone = chosen !== null && !devices.some(({ id }) => id === chosen);
  return [
    { value: DEFAULT, label: 'System default' },
    ...devices.map(({ id, label }, index) => ({ value: id, label: label || `${what} ${index + 1}` })),
    ...(gone ? [{ value: chosen, label: 'Selected device (disconnected)' }] : []),
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
      <p className="text-sm text-negative-text">
        The microphone is not available. Check that it is connected and allowed for this page.
      </p>
    );
  return (
    <Meter.Root
      value={level.at === 'measured' ? Math.round(level.level * 100) : 0}
      className="flex flex-col gap-1.5"
    >
      <Meter.Label className="text-sm text-muted">Say something. The bar should move.</Meter.Label>
      <Meter.Track className="h-2 overflow-hidden rounded-full bg-pressed">
        <Meter.Indicator className="rounded-full bg-positive motion-safe:transition-[width] motion-safe:duration-75" />
      </Meter.Track>
    </Meter.Root>
  );
}
