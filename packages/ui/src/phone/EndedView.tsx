import { Phone, PhoneMissed, PhoneOff } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { CallerCard } from './Caller.tsx';
import { classNames } from '../shared/class-names.ts';
import { describeEnd } from './describe-end.ts';
import { footerClass } from './footer.ts';
import { formatDuration, speakDuration } from './format.ts';
import type { PhoneView } from './model.ts';
import { NoteField } from './NoteField.tsx';
import { useFocusOnMount } from './focus.ts';

interface EndedViewProps {
  view: PhoneView & { at: 'ended' };
  /** Null if the customer cannot be called back. */
  onCallBack: (() => void) | null;
  onDone(): void;
  note: string;
  onNote(text: string): void;
}

/** A summary of the ended call: outcome and duration. */
export function EndedView({ view, onCallBack, onDone, note, onNote }: EndedViewProps) {
  const { call, talkedSeconds, outcome } = view;
  const done = useFocusOnMount<HTMLButtonElement>();
  const { title, detail, tone } = describeEnd(outcome, call);
  const Icon = talkedSeconds > 0 ? PhoneOff : PhoneMissed;
  return (
    <div className="flex flex-1 flex-col items-center gap-4 px-4 pt-5">
      <span
        aria-hidden
        className={classNames(
          'grid size-16 shrink-0 place-items-center rounded-full',
          tone === 'bad' ? 'bg-negative-soft text-negative' : 'bg-raised text-muted',
        )}
      >
        <Icon className="size-7" strokeWidth={1.75} />
      </span>
      <div className="flex flex-col items-center gap-1 text-center">
        <p className="text-lg font-semibold text-ink">{title}</p>
        {detail && <p className="max-w-72 text-base text-pretty text-muted">{detail}</p>}
      </div>
      <div className="flex w-full items-center gap-3 rounded-control bg-raised px-3.5 py-3">
        <CallerCard call={call} />
        {talkedSeconds > 0 && (
          <p
            className="shrink-0 text-base text-ink tabular-nums"
            aria-label={`You talked for ${speakDuration(talkedSeconds)}`}
          >
            {formatDuration(talkedSeconds)}
          </p>
        )}
      </div>
      {talkedSeconds > 0 && <NoteField key={call.id} note={note} onSave={onNote} />}
      <div className={classNames(footerClass, 'mt-auto flex gap-3')}>
        {onCallBack && (
          <Button size="lg" className="min-h-12 flex-1" onClick={onCallBack}>
            <Phone className="size-5" aria-hidden />{' '}
            {call.direction === 'INBOUND' ? 'Call back' : 'Call again'}
          </Button>
        )}
        <Button size="lg" ref={done} tone="accent" className="min-h-12 flex-1" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  );
}
