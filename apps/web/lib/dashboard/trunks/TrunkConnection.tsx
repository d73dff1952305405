import { Badge, type Tone } from '@clarion/ui';
import type { OwnTrunk } from '../edit/resources.ts';

/** Whether the carrier responds and, for a trunk that registers, whether it is registered. */
export function TrunkConnection({ trunk: { up, register, registration } }: { trunk: OwnTrunk }) {
  return (
    <span className="flex flex-wrap gap-1 max-sm:justify-end">
      <UpBadge up={up} />
      {register && <RegistrationBadge state={registration?.state ?? null} />}
    </span>
  );
}

/** Null: the carrier has not been asked yet. */
export function UpBadge({ up }: { up: boolean | null }) {
  return (
    <Badge tone={up === null ? 'neutral' : up ? 'positive' : 'negative'} dot>
      {up === null ? 'Not checked yet' : up ? 'Up' : 'Down'}
    </Badge>
  );
}

type State = NonNullable<OwnTrunk['registration']>['state'];

const registrations: Record<State, { tone: Tone; label: string }> = {
  REGISTERED: { tone: 'positive', label: 'Registered' },
  REGISTERING: { tone: 'warning', label: 'Registering' },
  FAILED: { tone: 'negative', label: 'Not registered' },
};

/** Null: it has not been tried yet. */
export function RegistrationBadge({ state }: { state: State | null }) {
  const { tone, label } =
    state === null ? { tone: 'neutral' as const, label: 'Not registered yet' } : registrations[state];
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  );
}
