import { Maximize2, Mic, MicOff, Phone, PhoneOff, type LucideIcon } from 'lucide-react';
import { classNames } from '../shared/class-names.ts';
import { callerTitle } from './Caller.tsx';
import { CallTimer } from './CallTimer.tsx';
import type { PhoneActions, PhoneModel } from './model.ts';

interface MinimisedBarProps {
  model: PhoneModel;
  actions: PhoneActions;
  onExpand(): void;
}

/** The minimised phone: the current call and its most important controls. */
export function MinimisedBar({ model, actions, onExpand }: MinimisedBarProps) {
  const { view, agent, connection } = model;
  return (
    <div className="flex min-h-16 items-center gap-2 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="truncate text-base font-semibold text-ink">
          {view.at === 'idle' || view.at === 'ended'
            ? (agent?.name ?? 'Agent phone')
            : callerTitle(view.call)}
        </p>
        <div className="truncate text-sm text-muted">
          {view.at === 'active' ? (
            <CallTimer answeredAt={view.answeredAt} quiet />
          ) : view.at === 'incoming' ? (
            'is calling'
          ) : view.at === 'dialing' ? (
            'Calling'
          ) : connection === 'connected' ? (
            agent?.shift === 'OFFLINE' ? (
              'Away'
            ) : (
              'Available'
            )
          ) : (
            'Not connected'
          )}
        </div>
      </div>
      {view.at === 'incoming' && (
        <>
          <Press
            tone="negative"
            label="Decline"
            icon={PhoneOff}
            onPress={() => actions.decline(view.call.id)}
          />
          <Press tone="positive" label="Answer" icon={Phone} onPress={() => actions.answer(view.call.id)} />
        </>
      )}
      {view.at === 'active' && view.audio !== 'elsewhere' && (
        <Press
          tone="quiet"
          label={view.muted ? 'Unmute' : 'Mute'}
          icon={view.muted ? MicOff : Mic}
          onPress={() => actions.mute(view.call.id, !view.muted)}
        />
      )}
      {(view.at === 'active' || view.at === 'dialing') && (
        <Press tone="negative" label="Hang up" icon={PhoneOff} onPress={() => actions.hangUp(view.call.id)} />
      )}
      <Press tone="plain" label="Open the phone" icon={Maximize2} onPress={onExpand} />
    </div>
  );
}

const tones = {
  plain: 'text-muted hover:bg-raised hover:text-ink',
  quiet: 'bg-raised text-ink hover:bg-pressed',
  positive: 'bg-positive text-on-positive hover:bg-positive-hover',
  negative: 'bg-negative text-on-negative hover:bg-negative-hover',
};

interface PressProps {
  tone: keyof typeof tones;
  label: string;
  icon: LucideIcon;
  onPress(): void;
}

function Press({ tone, label, icon: Icon, onPress }: PressProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classNames(
        'cl-focus grid size-11 shrink-0 place-items-center rounded-full transition-colors',
        tones[tone],
      )}
      onClick={onPress}
    >
      <Icon className="size-5" aria-hidden />
    </button>
  );
}
