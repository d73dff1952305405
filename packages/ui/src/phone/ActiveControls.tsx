import {
  CircleDot,
  CirclePause,
  Grid3x3,
  Mic,
  MicOff,
  NotebookPen,
  Pause,
  PhoneForwarded,
  Play,
} from 'lucide-react';
import { useFocusOnMount } from './focus.ts';
import type { PhoneActions, PhoneView } from './model.ts';
import { RoundButton } from './RoundButton.tsx';

interface ActiveControlsProps {
  view: PhoneView & { at: 'active' };
  actions: PhoneActions;
  keypadOpen: boolean;
  onToggleKeypad(): void;
  onTransfer(): void;
  onNotes(): void;
}

const icon = 'size-5.5';

/** The controls of a live call, in two rows of three. The recording button's cell is empty if the call is not recorded. */
export function ActiveControls(props: ActiveControlsProps) {
  const { view, actions, keypadOpen, onToggleKeypad, onTransfer, onNotes } = props;
  const { call, muted, held, recording } = view;
  const mute = useFocusOnMount<HTMLButtonElement>();
  const paused = recording === 'PAUSED';
  return (
    <div className="mt-auto grid w-full grid-cols-3 justify-items-center gap-y-2">
      <RoundButton
        ref={mute}
        label={muted ? 'Unmute' : 'Mute'}
        shortcut="M"
        pressed={muted}
        icon={muted ? <MicOff className={icon} aria-hidden /> : <Mic className={icon} aria-hidden />}
        onPress={() => actions.mute(call.id, !muted)}
      />
      <RoundButton
        label={held ? 'Resume' : 'Hold'}
        shortcut="H"
        pressed={held}
        icon={held ? <Play className={icon} aria-hidden /> : <Pause className={icon} aria-hidden />}
        onPress={() => actions.hold(call.id, !held)}
      />
      <RoundButton
        label="Keypad"
        shortcut="K"
        pressed={keypadOpen}
        icon={<Grid3x3 className={icon} aria-hidden />}
        onPress={onToggleKeypad}
      />
      {!keypadOpen && (
        <>
          <RoundButton
            label="Transfer"
            shortcut="T"
            icon={<PhoneForwarded className={icon} aria-hidden />}
            onPress={onTransfer}
          />
          <RoundButton
            className="@2xl:hidden"
            label="Notes"
            shortcut="N"
            icon={<NotebookPen className={icon} aria-hidden />}
            onPress={onNotes}
          />
          {recording === 'OFF' ? (
            <span aria-hidden />
          ) : (
            <RoundButton
              label={paused ? 'Record' : 'Recording'}
              hint={paused ? 'Record the rest of the call' : 'Pause recording'}
              pressed={paused}
              icon={
                paused ? (
                  <CirclePause className={icon} aria-hidden />
                ) : (
                  <CircleDot className={`${icon} text-negative-text`} aria-hidden />
                )
              }
              onPress={() => actions.pauseRecording(call.id, !paused)}
            />
          )}
        </>
      )}
    </div>
  );
}
