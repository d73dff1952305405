import { MonitorSmartphone, PhoneForwarded, PhoneOff, TriangleAlert, Undo2 } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { classNames } from '../shared/class-names.ts';
import { ActiveControls } from './ActiveControls.tsx';
import { CallerCard, CallerName, callerTitle } from './Caller.tsx';
import { CallTimer } from './CallTimer.tsx';
import { describeTransferFailure, describeWarning } from './describe-warning.ts';
import { useFocusOnMount } from './focus.ts';
import { footerClass } from './footer.ts';
import { Keypad } from './Keypad.tsx';
import type { PhoneActions, PhoneView } from './model.ts';
import { NoteField } from './NoteField.tsx';
import { QualityIndicator } from './QualityIndicator.tsx';

const NOTE_ROWS = 3;

type Active = PhoneView & { at: 'active' };

interface ActiveViewProps {
  view: Active;
  actions: PhoneActions;
  keypadOpen: boolean;
  onToggleKeypad(): void;
  /** The digits sent in this call so far. */
  sent: string;
  onKey(key: string): void;
  onTransfer(): void;
  onNotes(): void;
  note: string;
}

/** The agent and the customer are connected. */
export function ActiveView(props: ActiveViewProps) {
  const { view, actions, keypadOpen, sent, onKey, note } = props;
  const { call, audio, transfer } = view;
  if (audio === 'elsewhere') return <ElsewhereView view={view} actions={actions} />;
  if (transfer) return <TransferringView view={view} transfer={transfer} actions={actions} />;

  return (
    <div
      className={classNames('flex flex-1 flex-col items-center px-4 pt-4', keypadOpen ? 'gap-2' : 'gap-3.5')}
    >
      {keypadOpen ? (
        <div className="flex w-full items-baseline justify-between gap-4">
          <h2 className="truncate text-lg font-semibold text-ink">{callerTitle(call)}</h2>
          <CallTimer answeredAt={view.answeredAt} quiet />
        </div>
      ) : (
        <>
          <CallerCard call={call} />
          <div className="flex flex-col items-center gap-0.5">
            <CallTimer answeredAt={view.answeredAt} />
            <QualityIndicator audio={audio} quality={view.quality} />
          </div>
        </>
      )}
      {!keypadOpen && <CallNotice view={view} />}

      {keypadOpen && (
        <div className="flex w-full flex-col gap-2">
          <p
            className="h-7 truncate text-center text-xl text-ink tabular-nums"
            dir="rtl"
            aria-label={sent && `Sent ${sent}`}
          >
            <bdi>{sent}</bdi>
          </p>
          <Keypad compact label="Keypad" onKey={onKey} />
        </div>
      )}

      {!keypadOpen && (
        // On a wide phone, the note is shown without a sheet.
        <div className="hidden w-full @2xl:block">
          <NoteField
            key={call.id}
            note={note}
            rows={NOTE_ROWS}
            onSave={(text) => actions.setNote(call.id, text)}
          />
        </div>
      )}
      <ActiveControls {...props} />
      <HangUp onPress={() => actions.hangUp(call.id)} />
    </div>
  );
}

/** Shows one message at a time: the agent's own action, the result of a transfer, or a warning about the network. */
function CallNotice({ view: { muted, held, recording, transferFailed, warnings, audio } }: { view: Active }) {
  const strip = 'cl-rise w-full rounded-control px-3.5 py-2 text-center text-sm text-pretty text-ink';
  if (held || muted)
    return (
      <p className={classNames(strip, 'bg-warning-soft font-medium')}>
        {held
          ? 'On hold. You and the customer cannot hear each other.'
          : 'You are muted. The customer cannot hear you.'}
      </p>
    );
  const failure = transferFailed === null ? null : describeTransferFailure(transferFailed);
  if (failure !== null) return <p className={classNames(strip, 'bg-warning-soft')}>{failure}</p>;
  const warning = warnings.map(describeWarning).find((text) => text !== null);
  if (warning && audio === 'here')
    return (
      <p className={classNames(strip, 'flex items-start gap-2 bg-warning-soft text-left')}>
        <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
        {warning}
      </p>
    );
  if (recording === 'PAUSED')
    return (
      <p className={classNames(strip, 'bg-raised')}>Recording is paused. Resume it when you are ready.</p>
    );
  return null;
}

interface TransferringViewProps {
  view: Active;
  transfer: NonNullable<Active['transfer']>;
  actions: PhoneActions;
}

/** Shown while a transfer is pending. The customer hears hold audio until the target answers. */
function TransferringView({ view: { call }, transfer, actions }: TransferringViewProps) {
  const back = useFocusOnMount<HTMLButtonElement>();
  return (
    <div className="flex flex-1 flex-col items-center gap-3.5 px-4 pt-5">
      <span
        className="grid size-16 shrink-0 place-items-center rounded-full bg-accent-soft text-accent"
        aria-hidden
      >
        <PhoneForwarded className="size-7 motion-safe:animate-pulse" strokeWidth={1.75} />
      </span>
      <div className="flex w-full flex-col items-center gap-1 text-center">
        <p className="text-base text-muted">Transferring to</p>
        <p className="line-clamp-2 text-xl font-semibold [overflow-wrap:anywhere] text-ink">{transfer.to}</p>
        <CallTimer answeredAt={transfer.since} quiet />
      </div>
      <div className="flex w-full flex-col items-center gap-1 rounded-control bg-raised px-4 py-4">
        <CallerName call={call} />
        <p className="text-center text-sm text-muted">
          hears hold audio until {transfer.kind === 'agent' ? 'your colleague' : 'an agent'} answers. If there
          is no answer, the call returns to you.
        </p>
      </div>
      <div className="mt-auto flex w-full flex-col gap-1">
        <Button
          ref={back}
          size="lg"
          tone="accent"
          className="min-h-12 w-full"
          onClick={() => actions.cancelTransfer(call.id)}
        >
          <Undo2 className="size-5" aria-hidden /> Cancel transfer
        </Button>
        <HangUp onPress={() => actions.hangUp(call.id)} />
      </div>
    </div>
  );
}

/** Shown if the call is in another tab or on another device of this agent. */
function ElsewhereView({ view: { call, answeredAt }, actions }: Pick<ActiveViewProps, 'view' | 'actions'>) {
  const bring = useFocusOnMount<HTMLButtonElement>();
  return (
    <div className="flex flex-1 flex-col items-center gap-5 px-4 pt-10">
      <span className="grid size-24 place-items-center rounded-full bg-raised text-muted" aria-hidden>
        <MonitorSmartphone className="size-10" strokeWidth={1.5} />
      </span>
      <div className="flex w-full flex-col items-center gap-2">
        <CallerName call={call} />
        <p className="text-center text-base text-muted">
          This call is active in another window or on another device.
        </p>
      </div>
      <CallTimer answeredAt={answeredAt} />
      <div className="mt-auto flex w-full flex-col gap-1">
        <Button
          ref={bring}
          size="lg"
          tone="accent"
          className="min-h-12 w-full"
          onClick={() => actions.bringHere(call.id)}
        >
          Move the call here
        </Button>
        <HangUp onPress={() => actions.hangUp(call.id)} />
      </div>
    </div>
  );
}

/** Stays visible, whatever the height of the content above it. */
function HangUp({ onPress }: { onPress(): void }) {
  return (
    <div className={footerClass}>
      <Button size="lg" tone="negative" className="min-h-12 w-full text-lg" onClick={onPress}>
        <PhoneOff className="size-5" aria-hidden /> Hang up
      </Button>
    </div>
  );
}
