import { LoaderCircle, Phone, PhoneOff } from 'lucide-react';
import { Avatar, CallerCard, CallerName, CallOrigin, callerTitle } from './Caller.tsx';
import { useFocusOnMount } from './focus.ts';
import type { PhoneActions, PhoneCall, PhoneOffer, PhoneView } from './model.ts';
import { classNames } from '../shared/class-names.ts';
import { footerClass } from './footer.ts';
import { RoundButton } from './RoundButton.tsx';
import { useNow } from '../shared/use-now.ts';

/** How often the countdown ring is updated: smooth enough without a constant load. */
const COUNTDOWN_INTERVAL_MS = 200;
const SECOND_MS = 1_000;

interface IncomingViewProps {
  view: PhoneView & { at: 'incoming' };
  silenced: boolean;
  onSilence(): void;
  onAnswer: PhoneActions['answer'];
  onDecline: PhoneActions['decline'];
}

/** A ringing call: caller, line and time left. Other ringing calls can be answered instead. */
export function IncomingView({ view, silenced, onSilence, onAnswer, onDecline }: IncomingViewProps) {
  const { call, others } = view;
  const answering = view.answering === call.id;
  const busy = view.answering !== null;
  const answer = useFocusOnMount<HTMLButtonElement>(call.id);
  const several = others.length > 0;

  return (
    <div className={classNames('flex flex-1 flex-col items-center px-5 pt-5', several ? 'gap-3' : 'gap-4')}>
      {several ? (
        <>
          <CallerCard call={call} />
          <p className="w-full text-sm text-muted tabular-nums">
            {kindOf(call)}
            <SecondsLeft expiresAt={view.expiresAt} />
          </p>
        </>
      ) : (
        <>
          <p className="text-sm font-medium text-muted">{kindOf(call)}</p>
          <Countdown view={view} />
          <div className="flex w-full flex-col items-center gap-1.5">
            <CallerName call={call} />
            <CallOrigin call={call} />
          </div>
        </>
      )}
      {several && (
        <section aria-label="Also ringing" className="flex w-full flex-col gap-1">
          <h3 className="text-sm font-medium text-muted">Also ringing</h3>
          <ul className="flex flex-col gap-1.5">
            {others.map((offer) => (
              <OtherOffer
                key={offer.call.id}
                offer={offer}
                disabled={busy}
                onAnswer={onAnswer}
                onDecline={onDecline}
              />
            ))}
          </ul>
        </section>
      )}

      <div className={classNames(footerClass, 'mt-auto')}>
        <div className="flex justify-around">
          <RoundButton
            large
            tone="negative"
            label="Decline"
            shortcut="D"
            icon={<PhoneOff className="size-7" aria-hidden />}
            disabled={busy}
            onPress={() => onDecline(call.id)}
          />
          <RoundButton
            ref={answer}
            large
            tone="positive"
            label={answering ? 'Answering' : 'Answer'}
            shortcut="A"
            pulsing={!busy}
            icon={
              answering ? (
                <LoaderCircle className="size-7 motion-safe:animate-spin" aria-hidden />
              ) : (
                <Phone className="size-7" aria-hidden />
              )
            }
            onPress={() => {
              if (!busy) onAnswer(call.id);
            }}
          />
        </div>
        <button
          type="button"
          className="cl-focus mx-auto mt-1 block min-h-9 rounded-lg px-3 text-sm font-medium text-muted transition-colors enabled:hover:bg-raised enabled:hover:text-ink"
          aria-keyshortcuts="Escape"
          disabled={silenced}
          onClick={onSilence}
        >
          {silenced ? 'Silenced' : 'Silence'}
        </button>
      </div>
    </div>
  );
}

interface OtherOfferProps {
  offer: PhoneOffer;
  disabled: boolean;
  onAnswer: PhoneActions['answer'];
  onDecline: PhoneActions['decline'];
}

function OtherOffer({ offer: { call, expiresAt }, disabled, onAnswer, onDecline }: OtherOfferProps) {
  const name = callerTitle(call);
  const round =
    'cl-focus grid size-11 shrink-0 place-items-center rounded-full transition-colors disabled:opacity-45';
  return (
    <li className="flex items-center gap-2 rounded-control bg-raised py-2 pr-2 pl-3.5">
      <div className="min-w-0 flex-1">
        <p className="truncate text-base font-medium text-ink">{name}</p>
        <p className="truncate text-sm text-muted tabular-nums">
          {kindOf(call)}
          <SecondsLeft expiresAt={expiresAt} />
        </p>
      </div>
      <button
        type="button"
        aria-label={`Decline ${name}`}
        className={classNames(round, 'bg-negative text-on-negative enabled:hover:bg-negative-hover')}
        disabled={disabled}
        onClick={() => onDecline(call.id)}
      >
        <PhoneOff className="size-5" aria-hidden />
      </button>
      <button
        type="button"
        aria-label={`Answer ${name}`}
        className={classNames(round, 'bg-positive text-on-positive enabled:hover:bg-positive-hover')}
        disabled={disabled}
        onClick={() => onAnswer(call.id)}
      >
        <Phone className="size-5" aria-hidden />
      </button>
    </li>
  );
}

/** The time left to answer; empty if unknown. */
function SecondsLeft({ expiresAt }: { expiresAt: number | null }) {
  const now = useNow(SECOND_MS);
  return expiresAt === null ? null : ` · ${Math.max(Math.ceil((expiresAt - now) / SECOND_MS), 0)} s left`;
}

function kindOf({ assignment, queue, transferredBy }: PhoneCall): string {
  if (transferredBy !== null) return `Transferred by ${transferredBy}`;
  if (assignment === 'TRANSFER') return 'Transferred to you';
  if (assignment === 'DIRECT') return 'Direct call';
  return queue === null ? 'Incoming call' : 'Queue call';
}

const RADIUS = 58;
const LENGTH = 2 * Math.PI * RADIUS;

/** The caller inside a ring that counts down the time of the offer. */
function Countdown({ view: { call, ringingSince, expiresAt } }: { view: PhoneOffer }) {
  const now = useNow(COUNTDOWN_INTERVAL_MS);
  const left =
    expiresAt === null ? 1 : Math.min(Math.max((expiresAt - now) / (expiresAt - ringingSince), 0), 1);
  const seconds = expiresAt === null ? null : Math.max(Math.ceil((expiresAt - now) / 1000), 0);
  return (
    <div className="flex flex-col items-center gap-2">
      <div className="relative grid size-32 place-items-center">
        <svg viewBox="0 0 128 128" className="absolute inset-0 -rotate-90" aria-hidden>
          <circle cx="64" cy="64" r={RADIUS} fill="none" strokeWidth="4" className="stroke-line" />
          <circle
            cx="64"
            cy="64"
            r={RADIUS}
            fill="none"
            strokeWidth="4"
            strokeLinecap="round"
            strokeDasharray={LENGTH}
            strokeDashoffset={LENGTH * (1 - left)}
            className="stroke-positive motion-safe:transition-[stroke-dashoffset] motion-safe:duration-200 motion-safe:ease-linear"
          />
        </svg>
        <Avatar call={call} large />
      </div>
      <p className="h-5 text-sm text-muted tabular-nums" aria-hidden>
        {seconds !== null && `${seconds} s left`}
      </p>
    </div>
  );
}
