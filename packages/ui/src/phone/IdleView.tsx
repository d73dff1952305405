import { Delete, Headset, Moon, Phone, RotateCcw } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../actions/Button.tsx';
import { ChoiceSelect } from '../forms/ChoiceSelect.tsx';
import { ChannelBadge, channelName } from '../data/ChannelBadge.tsx';
import { isWhatsAppUserId } from '../shared/customer-label.ts';
import { callerTitle } from './Caller.tsx';
import { contactsLike } from './contacts.ts';
import { dialable, formatAddress } from './format.ts';
import { footerClass } from './footer.ts';
import { Keypad } from './Keypad.tsx';
import { lineFor } from './line-for.ts';
import type { PhoneActions, PhoneCall, PhoneHistoryEntry, PhoneLine } from './model.ts';
import type { DialPad } from './use-dial-pad.ts';

interface IdleViewProps {
  pad: DialPad;
  lines: PhoneLine[];
  history: PhoneHistoryEntry[];
  enabled: boolean;
  /** The agent receives no calls from queues. */
  away: boolean;
  onDial: PhoneActions['dial'];
  onAvailable(): void;
}

/** Shown without a call: the dial pad and the line to call from. */
export function IdleView({ pad, lines, history, enabled, away, onDial, onAvailable }: IdleViewProps) {
  const { number } = pad;
  const input = useRef<HTMLInputElement>(null);
  const line = lines.find(({ ref }) => ref === pad.lineRef) ?? lines[0];
  const bothChannels = new Set(lines.map(({ channel }) => channel)).size > 1;
  const ready = enabled && line !== undefined && number.length > 0;
  // The field takes numbers, so customers with a user ID are called back from the history only.
  const dialled = history.filter(
    ({ call: { customerAddress } }) => customerAddress !== null && !isWhatsAppUserId(customerAddress),
  );
  const last = dialled.find(({ call }) => call.direction === 'OUTBOUND');

  const fill = (text: string) => {
    pad.enter(dialable(text));
    input.current?.focus({ preventScroll: true });
  };

  if (!line) return <NoLine away={away} onAvailable={onAvailable} />;
  return (
    <form
      className="flex flex-1 flex-col gap-2.5 px-4 pt-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onDial(line.ref, number);
      }}
      onPaste={(event) => {
        if (event.target === input.current) return;
        event.preventDefault();
        fill(event.clipboardData.getData('text'));
      }}
    >
      {away && <AwayNotice onAvailable={onAvailable} />}
      {lines.length > 1 ? (
        <ChoiceSelect
          label="Call from"
          value={line.ref}
          choices={lines.map(({ ref, name, address, channel, personal }) => ({
            value: ref,
            label: name,
            note: [
              ...(bothChannels ? [channelName(channel)] : []),
              formatAddress(address),
              personal ? 'personal line' : 'shared line',
            ].join(' · '),
          }))}
          icon={<ChannelBadge channel={line.channel} compact />}
          onChoose={pad.chooseLine}
        />
      ) : (
        <p className="text-sm text-muted">
          <ChannelBadge channel={line.channel} compact className="mr-1.5 align-middle" />
          Calling from <span className="font-medium text-ink">{line.name}</span>
          {line.name !== line.address && <span className="tabular-nums"> {formatAddress(line.address)}</span>}
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
          className="cl-focus h-13 w-full rounded-control border border-line-strong bg-surface px-12 text-center text-xl text-ink tabular-nums placeholder:text-base placeholder:text-muted"
          value={number}
          onChange={(event) => pad.enter(dialable(event.target.value))}
        />
        {number && (
          <button
            type="button"
            aria-label="Delete the last digit"
            className="cl-focus absolute inset-y-1 right-1 grid w-11 place-items-center rounded-control text-muted transition-colors hover:bg-raised hover:text-ink"
            onClick={() => fill(number.slice(0, -1))}
          >
            <Delete className="size-5" aria-hidden />
          </button>
        )}
      </div>
      <Suggestions
        number={number}
        history={dialled}
        last={last}
        onChoose={(call) => {
          pad.chooseLine(lineFor(call, lines)?.ref ?? null);
          fill(call.customerAddress ?? '');
        }}
      />

      <Keypad label="Dial pad" onKey={(key) => fill(number + key)} />

      <div className={`${footerClass} mt-auto`}>
        <Button size="lg" type="submit" tone="positive" className="min-h-12 w-full text-lg" disabled={!ready}>
          <Phone className="size-5" aria-hidden /> Call
        </Button>
      </div>
    </form>
  );
}

interface SuggestionsProps {
  number: string;
  history: PhoneHistoryEntry[];
  last: PhoneHistoryEntry | undefined;
  onChoose(call: PhoneCall): void;
}

/** Suggests the number dialled last, or, while typing, matching customers of today's calls. Keeps its space so that nothing moves. */
function Suggestions({ number, history, last, onChoose }: SuggestionsProps) {
  const found = number === '' ? (last ? [last.call] : []) : contactsLike(history, number);
  if (history.length === 0) return null;
  return (
    <div className="flex min-h-9 items-center gap-1.5 overflow-hidden">
      {found.map((call) => (
        <button
          key={call.customerAddress}
          type="button"
          className="cl-focus flex min-h-9 min-w-0 items-center gap-1.5 rounded-full border border-line px-3 text-sm text-ink transition-colors hover:bg-raised"
          onClick={() => onChoose(call)}
        >
          {number === '' && <RotateCcw className="size-3.5 shrink-0 text-muted" aria-hidden />}
          <span className="truncate tabular-nums">
            {number === '' && 'Redial '}
            {callerTitle(call)}
          </span>
        </button>
      ))}
    </div>
  );
}

function AwayNotice({ onAvailable }: { onAvailable(): void }) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-control bg-raised py-1.5 pr-1.5 pl-3.5 text-sm text-ink">
      <Moon className="size-4 shrink-0 text-muted" aria-hidden />
      <p className="min-w-0 flex-1 basis-32">You are away. Queues do not offer you calls.</p>
      <Button size="sm" onClick={onAvailable}>
        Take calls
      </Button>
    </div>
  );
}

/** Shown if the phone cannot place calls. */
function NoLine({ away, onAvailable }: { away: boolean; onAvailable(): void }) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-5 p-8 text-center">
      <span className="grid size-24 place-items-center rounded-full bg-accent-soft text-accent" aria-hidden>
        <Headset className="size-10" strokeWidth={1.5} />
      </span>
      <div className="flex flex-col gap-1">
        <p className="text-lg font-semibold text-ink">{away ? 'You are away' : 'You are available'}</p>
        <p className="text-base text-pretty text-muted">
          {away ? 'Queues do not offer you calls.' : 'Calls ring here.'} You have no line for outbound calls.
        </p>
      </div>
      {away && <Button onClick={onAvailable}>Take calls</Button>}
    </div>
  );
}
