import { Grid3x3, Mic, MicOff, MonitorSmartphone, Pause, PhoneOff, Play } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { Avatar, CallerName, CallOrigin } from './Caller.tsx';
import { classNames } from '../shared/class-names.ts';
import { formatDuration, speakDuration } from './format.ts';
import { Keypad } from './Keypad.tsx';
import type { PhoneActions, PhoneView } from './model.ts';
import { QualityIndicator } from './QualityIndicator.tsx';
import { RoundButton } from './RoundButton.tsx';
import { useFocusOnMount } from './use-focus-on-mount.ts';
import { useNow } from '../shared/use-now.ts';

const TIMER_INTERVAL_MS = 500;

interface ActiveViewProps {
  view: PhoneView & { at: 'active' };
  actions: PhoneActions;
  keypadOpen: boolean;
  onToggleKeypad(): void;
  /** Keys pressed in this call so far. */
  sent: string;
  onKey(key: string): void;
}

/** Agent and customer talk. */
export function ActiveView(props: ActiveViewProps) {
  const { view, actions, keypadOpen, onToggleKeypad, sent, onKey } = props;
  const { call, muted, held, audio } = view;
  const mute = useFocusOnMount<HTMLButtonElement>();
  if (audio === 'elsewhere') return <ElsewhereView view={view} actions={actions} />;

  return (
    <div className={classNames('flex flex-1 flex-col items-center p-5', keypadOpen ? 'gap-3' : 'gap-5 pt-7')}>
      {!keypadOpen && <Avatar call={call} />}
      <div className="flex w-full flex-col items-center gap-1.5">
        <CallerName call={call} />
        {!keypadOpen && <CallOrigin call={call} />}
      </div>
      <div className="flex flex-col items-center gap-1">
        <Timer answeredAt={view.answeredAt} />
        <QualityIndicator audio={audio} quality={view.quality} />
      </div>
      <State muted={muted} held={held} />

      {keypadOpen && (
        <div className="flex w-full flex-col gap-3">
          <p
            className="h-7 truncate text-center text-xl text-ink tabular-nums"
            dir="rtl"
            aria-label={sent && `Sent ${sent}`}
          >
            <bdi>{sent}</bdi>
          </p>
          <Keypad compact label="Keys sent to the customer" onKey={onKey} />
        </div>
      )}

      <div className="mt-auto flex w-full justify-around">
        <RoundButton
          ref={mute}
          label={muted ? 'Unmute' : 'Mute'}
          shortcut="M"
          pressed={muted}
          icon={muted ? <MicOff className="size-6" aria-hidden /> : <Mic className="size-6" aria-hidden />}
          onPress={() => actions.mute(call.id, !muted)}
        />
        <RoundButton
          label={held ? 'Resume' : 'Hold'}
          shortcut="H"
          pressed={held}
          icon={held ? <Play className="size-6" aria-hidden /> : <Pause className="size-6" aria-hidden />}
          onPress={() => actions.hold(call.id, !held)}
        />
        <RoundButton
          label="Keypad"
          shortcut="K"
          pressed={keypadOpen}
          icon={<Grid3x3 className="size-6" aria-hidden />}
          onPress={onToggleKeypad}
        />
      </div>
      <Button
        size="lg"
        tone="negative"
        className="min-h-13 w-full text-lg"
        onClick={() => actions.hangUp(call.id)}
      >
        <PhoneOff className="size-5" aria-hidden /> Hang up
      </Button>
    </div>
  );
}

function Timer({ answeredAt }: { answeredAt: number }) {
  const seconds = (useNow(TIMER_INTERVAL_MS) - answeredAt) / 1000;
  return (
    <p
      role="timer"
      aria-label={speakDuration(seconds)}
      className="text-2xl font-medium text-ink tabular-nums"
    >
      {formatDuration(seconds)}
    </p>
  );
}

function State({ muted, held }: { muted: boolean; held: boolean }) {
  if (!muted && !held) return null;
  return (
    <p className="cl-rise rounded-full bg-warning-soft px-4 py-1.5 text-sm font-medium text-ink">
      {held ? 'On hold. Neither of you hears the other.' : 'Muted. The customer cannot hear you.'}
    </p>
  );
}

/** The call runs in another tab or on another device of this agent. */
function ElsewhereView({ view: { call, answeredAt }, actions }: Pick<ActiveViewProps, 'view' | 'actions'>) {
  const bring = useFocusOnMount<HTMLButtonElement>();
  return (
    <div className="flex flex-1 flex-col items-center gap-5 p-5 pt-10">
      <span className="grid size-24 place-items-center rounded-full bg-raised text-muted" aria-hidden>
        <MonitorSmartphone className="size-10" strokeWidth={1.5} />
      </span>
      <div className="flex w-full flex-col items-center gap-2">
        <CallerName call={call} />
        <p className="text-center text-base text-muted">
          You are talking in another window or on another device.
        </p>
      </div>
      <Timer answeredAt={answeredAt} />
      <div className="mt-auto flex w-full flex-col gap-3">
        <Button
          size="lg"
          ref={bring}
          tone="accent"
          className="min-h-13 w-full"
          onClick={() => actions.bringHere(call.id)}
        >
          Continue the call here
        </Button>
        <Button size="lg" tone="negative" className="min-h-13 w-full" onClick={() => actions.hangUp(call.id)}>
          <PhoneOff className="size-5" aria-hidden /> Hang up
        </Button>
      </div>
    </div>
  );
}
