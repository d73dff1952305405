import { LoaderCircle, Phone, PhoneOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Avatar, CallerName, CallOrigin } from './Caller.tsx';
import type { PhoneActions, PhoneCall, PhoneView } from './model.ts';
import { RoundButton } from './RoundButton.tsx';
import { useNow } from '../shared/use-now.ts';

/** The ring moves this often; smooth enough without working all the time. */
const COUNTDOWN_INTERVAL_MS = 200;

interface IncomingViewProps {
  view: PhoneView & { at: 'incoming' };
  silenced: boolean;
  onSilence(): void;
  onAnswer: PhoneActions['answer'];
  onDecline: PhoneActions['decline'];
}

/** A call rings: who, on which line, and how long it will go on. */
export function IncomingView({ view, silenced, onSilence, onAnswer, onDecline }: IncomingViewProps) {
  const { call, answering, more } = view;
  const answer = useRef<HTMLButtonElement>(null);
  useEffect(() => answer.current?.focus(), [call.id]);

  return (
    <div className="flex flex-1 flex-col items-center gap-6 p-5 pt-8">
      <p className="text-sm font-medium text-muted">{kindOf(call)}</p>
      <Countdown view={view} />
      <div className="flex w-full flex-col items-center gap-2">
        <CallerName call={call} />
        <CallOrigin call={call} />
        {more > 0 && (
          <p className="mt-1 rounded-full bg-raised px-3 py-1 text-sm text-ink">
            {more === 1 ? 'One more call is ringing' : `${more} more calls are ringing`}
          </p>
        )}
      </div>

      <div className="mt-auto flex w-full justify-around">
        <RoundButton
          large
          tone="negative"
          label="Decline"
          shortcut="D"
          icon={<PhoneOff className="size-7" aria-hidden />}
          disabled={answering}
          onPress={() => onDecline(call.id)}
        />
        <RoundButton
          ref={answer}
          large
          tone="positive"
          label={answering ? 'Answering' : 'Answer'}
          shortcut="A"
          pulsing={!answering}
          icon={
            answering ? (
              <LoaderCircle className="size-7 motion-safe:animate-spin" aria-hidden />
            ) : (
              <Phone className="size-7" aria-hidden />
            )
          }
          onPress={() => {
            if (!answering) onAnswer(call.id);
          }}
        />
      </div>
      <button
        type="button"
        className="cl-focus min-h-9 rounded-lg px-3 text-sm font-medium text-muted transition-colors enabled:hover:bg-raised enabled:hover:text-ink"
        aria-keyshortcuts="Escape"
        disabled={silenced}
        onClick={onSilence}
      >
        {silenced ? 'Ringing silently' : 'Silence the ring'}
      </button>
    </div>
  );
}

function kindOf({ assignment, queue }: PhoneCall): string {
  if (assignment === 'TRANSFER') return 'Transferred to you';
  if (assignment === 'DIRECT') return 'Call for you';
  return queue === null ? 'Incoming call' : 'Call from the queue';
}

const RADIUS = 58;
const LENGTH = 2 * Math.PI * RADIUS;

/** The caller inside a ring that runs empty while the offer lasts. */
function Countdown({ view: { call, ringingSince, expiresAt } }: { view: PhoneView & { at: 'incoming' } }) {
  const now = useNow(COUNTDOWN_INTERVAL_MS);
  const left =
    expiresAt === null ? 1 : Math.min(Math.max((expiresAt - now) / (expiresAt - ringingSince), 0), 1);
  const seconds = expiresAt === null ? null : Math.max(Math.ceil((expiresAt - now) / 1000), 0);
  return (
    <div className="flex flex-col items-center gap-3">
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
