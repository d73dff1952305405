import { classNames } from '../shared/class-names.ts';

const KEYS = [
  ['1', ''],
  ['2', 'ABC'],
  ['3', 'DEF'],
  ['4', 'GHI'],
  ['5', 'JKL'],
  ['6', 'MNO'],
  ['7', 'PQRS'],
  ['8', 'TUV'],
  ['9', 'WXYZ'],
  ['*', ''],
  ['0', '+'],
  ['#', ''],
] as const;

const NAMES: Record<string, string> = { '*': 'star', '#': 'hash' };

interface KeypadProps {
  /** The accessible name. */
  label: string;
  onKey(key: string): void;
  compact?: boolean;
}

/** Twelve keys. The surrounding view handles digits typed on the keyboard. */
export function Keypad({ label, onKey, compact = false }: KeypadProps) {
  return (
    <div
      role="group"
      aria-label={label}
      className={classNames('grid w-full grid-cols-3 gap-2', !compact && 'max-h-92 flex-1 auto-rows-fr')}
    >
      {KEYS.map(([key, letters]) => (
        <button
          key={key}
          type="button"
          aria-label={NAMES[key]}
          className={classNames(
            'cl-focus flex flex-col items-center justify-center rounded-control bg-raised text-ink transition-colors hover:bg-pressed active:bg-line',
            compact ? 'h-11' : 'min-h-10.5',
          )}
          onClick={() => onKey(key)}
        >
          <span className={classNames('text-xl leading-none tabular-nums', key === '*' && 'translate-y-1')}>
            {key}
          </span>
          {letters && (
            <span aria-hidden className="mt-1 text-[0.625rem] leading-none tracking-widest text-muted">
              {letters}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
