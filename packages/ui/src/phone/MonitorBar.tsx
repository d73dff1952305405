import { Ear, Mic, MicOff } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { classNames } from '../shared/class-names.ts';
import type { MonitorMode, PhoneActions, PhoneTeam } from './model.ts';

const names: Record<MonitorMode, string> = { listen: 'Listen', whisper: 'Whisper', barge: 'Barge in' };
const heardBy: Record<MonitorMode, string> = {
  listen: 'No one can hear you.',
  whisper: 'Only the agent can hear you.',
  barge: 'The agent and the customer can hear you.',
};

interface MonitorBarProps {
  team: PhoneTeam;
  actions: Pick<PhoneActions, 'setMonitorMode' | 'muteMonitor' | 'stopMonitor'>;
}

/** Shown while a supervisor monitors a call: the mode and a stop button. */
export function MonitorBar({ team: { monitor, modes, board }, actions }: MonitorBarProps) {
  if (!monitor) return null;
  const call = board?.calls.find(({ id }) => id === monitor.callId);
  const who = call ? [call.customer, call.agent].filter((name) => name !== null).join(' and ') : 'a call';
  const speaks = monitor.mode !== 'listen';
  return (
    <section
      aria-label="Listening"
      className="cl-rise flex flex-col gap-2 border-b border-line bg-accent-soft px-4 py-2.5 @2xl:flex-row @2xl:items-center"
    >
      <div className="flex min-w-0 items-center gap-2.5 text-sm text-ink @2xl:flex-1">
        <Ear className="size-4 shrink-0 text-accent" aria-hidden />
        <div className="min-w-0">
          <p className="truncate font-medium">
            {monitor.state === 'connecting' ? 'Connecting to' : 'Listening to'} {who}
          </p>
          <p>{speaks && monitor.muted ? 'You are muted.' : heardBy[monitor.mode]}</p>
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {modes.length > 1 && (
          <div role="group" aria-label="Monitoring mode" className="flex rounded-control bg-surface p-0.5">
            {modes.map((mode) => (
              <button
                key={mode}
                type="button"
                aria-pressed={monitor.mode === mode}
                className="cl-focus min-h-9 rounded-control px-2 text-sm whitespace-nowrap font-medium text-ink transition-colors aria-pressed:bg-accent aria-pressed:text-on-accent"
                onClick={() => actions.setMonitorMode(mode)}
              >
                {names[mode]}
              </button>
            ))}
          </div>
        )}
        {speaks && (
          <button
            type="button"
            aria-pressed={monitor.muted}
            aria-label="Mute"
            title="Mute"
            className={classNames(
              'cl-focus grid size-10 shrink-0 place-items-center rounded-full text-ink transition-colors',
              monitor.muted ? 'bg-ink text-surface' : 'hover:bg-surface',
            )}
            onClick={() => actions.muteMonitor(!monitor.muted)}
          >
            {monitor.muted ? (
              <MicOff className="size-4.5" aria-hidden />
            ) : (
              <Mic className="size-4.5" aria-hidden />
            )}
          </button>
        )}
        <Button className="ml-auto min-h-10" onClick={actions.stopMonitor}>
          Stop
        </Button>
      </div>
    </section>
  );
}
