import { Select } from '@base-ui/react/select';
import {
  BellOff,
  Check,
  ChevronDown,
  LoaderCircle,
  Minimize2,
  Settings2,
  Wifi,
  WifiOff,
  type LucideIcon,
} from 'lucide-react';
import { classNames } from '../shared/class-names.ts';
import { usePortal } from '../shared/portal.tsx';
import type { PhoneActions, PhoneConnection, PhoneModel, Shift } from './model.ts';

const shifts: { value: Shift; label: string }[] = [
  { value: 'AVAILABLE', label: 'Available' },
  { value: 'OFFLINE', label: 'Away' },
];

const connections: Record<PhoneConnection, string> = {
  connected: 'Connected',
  connecting: 'Connecting',
  reconnecting: 'Reconnecting',
  disconnected: 'Not connected',
};

interface StatusBarProps {
  model: PhoneModel;
  actions: PhoneActions;
  onOpenSettings(): void;
  /** Null: the phone cannot be minimised. */
  onMinimise: (() => void) | null;
}

/** The agent's name, availability and connection. */
export function StatusBar({ model, actions, onOpenSettings, onMinimise }: StatusBarProps) {
  const { agent, connection } = model;
  const { setDoNotDisturb } = actions;
  const reachable = connection === 'connected' || connection === 'reconnecting';
  return (
    <header className="flex flex-wrap items-center gap-x-1 gap-y-2 border-b border-line py-2.5 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <h1 className="truncate text-base leading-snug font-semibold text-ink">
          {agent?.name ?? 'Agent phone'}
        </h1>
        <p className="flex items-center gap-1.5 text-sm text-muted">
          <ConnectionIcon connection={connection} />
          <span className={classNames('truncate', connection !== 'connected' && 'font-medium text-warning')}>
            {connections[connection]}
          </span>
        </p>
      </div>
      {agent && reachable && (
        <AvailabilitySelect
          agent={agent}
          disabled={connection !== 'connected'}
          onChoose={actions.setAvailability}
        />
      )}
      <BarButton label="Settings" icon={Settings2} onPress={onOpenSettings} />
      {onMinimise && <BarButton label="Minimise the phone" icon={Minimize2} onPress={onMinimise} />}
      {agent?.doNotDisturb && (
        <p className="flex w-full items-center gap-2 pr-2 pb-0.5 text-sm text-ink">
          <BellOff className="size-4 shrink-0 text-muted" aria-hidden />
          <span className="min-w-0 flex-1">
            <span className="font-medium">Do not disturb.</span> Your personal line does not ring.
          </span>
          {setDoNotDisturb && (
            <button
              type="button"
              className="cl-focus min-h-8 rounded-lg px-1 font-semibold underline decoration-line-strong underline-offset-4 hover:decoration-ink"
              onClick={() => setDoNotDisturb(false)}
            >
              Turn off
            </button>
          )}
        </p>
      )}
    </header>
  );
}

interface BarButtonProps {
  label: string;
  icon: LucideIcon;
  onPress(): void;
}

function BarButton({ label, icon: Icon, onPress }: BarButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className="cl-focus grid size-10 shrink-0 place-items-center rounded-control text-muted transition-colors hover:bg-raised hover:text-ink"
      onClick={onPress}
    >
      <Icon className="size-5" aria-hidden />
    </button>
  );
}

function ConnectionIcon({ connection }: { connection: PhoneConnection }) {
  switch (connection) {
    case 'connected':
      return <Wifi className="size-3.5 shrink-0" aria-hidden />;
    case 'disconnected':
      return <WifiOff className="size-3.5 shrink-0 text-warning" aria-hidden />;
    case 'connecting':
    case 'reconnecting':
      return <LoaderCircle className="size-3.5 shrink-0 text-warning motion-safe:animate-spin" aria-hidden />;
  }
}

interface AvailabilitySelectProps {
  agent: NonNullable<PhoneModel['agent']>;
  disabled: boolean;
  onChoose(status: Shift): void;
}

function AvailabilitySelect({ agent, disabled, onChoose }: AvailabilitySelectProps) {
  const portal = usePortal();
  const onCall = agent.availability === 'ON_CALL';
  const text = onCall ? 'On a call' : agent.shift === 'AVAILABLE' ? 'Available' : 'Away';
  return (
    <Select.Root
      items={shifts}
      value={agent.shift}
      disabled={disabled}
      onValueChange={(chosen) => {
        if (chosen !== null && chosen !== agent.shift) onChoose(chosen);
      }}
    >
      <Select.Trigger
        aria-label={`Availability: ${text}`}
        className="cl-focus flex min-h-10 shrink-0 items-center gap-2 rounded-full bg-raised px-3 text-sm font-medium text-ink transition-colors hover:bg-pressed disabled:opacity-60"
      >
        <Dot tone={onCall ? 'busy' : agent.shift === 'AVAILABLE' ? 'on' : 'off'} />
        {text}
        <ChevronDown className="size-3.5 text-muted" aria-hidden />
      </Select.Trigger>
      <Select.Portal {...portal}>
        <Select.Positioner
          className="z-50 outline-hidden"
          sideOffset={6}
          align="end"
          alignItemWithTrigger={false}
        >
          <Select.Popup className="w-52 rounded-control border border-line bg-surface p-1 text-ink shadow-card outline-hidden">
            <Select.List>
              {shifts.map(({ value, label }) => (
                <Select.Item
                  key={value}
                  value={value}
                  className="flex min-h-10 cursor-default items-center gap-2.5 rounded-lg px-2.5 text-base outline-hidden select-none data-highlighted:bg-raised"
                >
                  <Dot tone={value === 'AVAILABLE' ? 'on' : 'off'} />
                  <Select.ItemText className="flex-1">{label}</Select.ItemText>
                  <Select.ItemIndicator className="text-accent">
                    <Check className="size-4" aria-hidden />
                  </Select.ItemIndicator>
                </Select.Item>
              ))}
            </Select.List>
            {onCall && <p className="px-2.5 pt-1.5 pb-2 text-sm text-muted">Takes effect after this call.</p>}
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

/** Filled, half and hollow, so that it is legible without colour. */
function Dot({ tone }: { tone: 'on' | 'busy' | 'off' }) {
  return (
    <span
      aria-hidden
      className={classNames(
        'size-2.5 shrink-0 rounded-full border-2',
        tone === 'on' && 'border-positive bg-positive',
        tone === 'busy' && 'border-negative bg-negative',
        tone === 'off' && 'border-line-strong bg-transparent',
      )}
    />
  );
}
