import { Delete, Moon, Phone } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../actions/Button.tsx';
import { ChoiceSelect } from '../forms/ChoiceSelect.tsx';
import { dialable, formatAddress } from './format.ts';
import { Keypad } from './Keypad.tsx';
import type { PhoneActions, PhoneLine } from './model.ts';

interface IdleViewProps {
  lines: PhoneLine[];
  enabled: boolean;
  /** Calls from queues do not come. */
  away: boolean;
  onDial: PhoneActions['dial'];
}

/** No call: a number to dial and the line to dial it from. */
export function IdleView({ lines, enabled, away, onDial }: IdleViewProps) {
  const [number, setNumber] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const line = lines.find(({ ref }) => ref === chosen) ?? lines[0];
  const ready = enabled && line !== undefined && number.length > 0;

  const type = (key: string) => {
    setNumber((before) => dialable(before + key));
    input.current?.focus({ preventScroll: true });
  };

  return (
    <form
      className="flex flex-1 flex-col gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onDial(line.ref, number);
      }}
    >
      {away && (
        <p className="flex items-center gap-2 rounded-control bg-raised px-3.5 py-2.5 text-sm text-ink">
          <Moon className="size-4 shrink-0 text-muted" aria-hidden />
          You are away. Calls from queues go to others.
        </p>
      )}
      {line && lines.length > 1 && (
        <ChoiceSelect
          label="Call from"
          value={line.ref}
          choices={lines.map(({ ref, name, address }) => ({
            value: ref,
            label: name,
            note: formatAddress(address),
          }))}
          onChoose={setChosen}
        />
      )}
      {line && lines.length === 1 && (
        <p className="text-sm text-muted">
          Calls go out from <span className="font-medium text-ink">{line.name}</span>{' '}
          <span className="tabular-nums">{formatAddress(line.address)}</span>
        </p>
      )}
      {!line && (
        <p className="text-sm text-muted">
          There is no line to call out from. Incoming calls still ring here.
        </p>
      )}

      <div className="relative">
        <input
          ref={input}
          aria-label="Number to call"
          type="tel"
          inputMode="tel"
          autoComplete="off"
          placeholder="Enter a number"
          className="cl-focus h-14 w-full rounded-control border border-line-strong bg-surface px-12 text-center text-xl text-ink tabular-nums placeholder:text-base placeholder:text-muted"
          value={number}
          onChange={(event) => setNumber(dialable(event.target.value))}
        />
        {number && (
          <button
            type="button"
            aria-label="Delete the last digit"
            className="cl-focus absolute inset-y-1.5 right-1.5 grid w-11 place-items-center rounded-lg text-muted transition-colors hover:bg-raised hover:text-ink"
            onClick={() => {
              setNumber((before) => before.slice(0, -1));
              input.current?.focus({ preventScroll: true });
            }}
          >
            <Delete className="size-5" aria-hidden />
          </button>
        )}
      </div>

      <Keypad label="Dial pad" onKey={type} />

      <Button
        size="lg"
        type="submit"
        tone="positive"
        className="mt-auto min-h-13 w-full text-lg"
        disabled={!ready}
      >
        <Phone className="size-5" aria-hidden /> Call
      </Button>
    </form>
  );
}
