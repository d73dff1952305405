import { CircleAlert, MicOff, Mic, Volume2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import type { PhoneProblem } from './model.ts';

interface ProblemText {
  icon: ReactNode;
  title: string;
  text: string | null;
  action: string;
  tone: 'warning' | 'negative';
}

const iconClass = 'size-5';

function messageFor(problem: PhoneProblem): ProblemText {
  switch (problem.kind) {
    case 'microphone-needed':
      return {
        icon: <Mic className={iconClass} aria-hidden />,
        title: 'Allow microphone access',
        text: 'Your browser asks once. Allow it now so that you can answer your first call without delay.',
        action: 'Allow',
        tone: 'warning',
      };
    case 'microphone-blocked':
      return {
        icon: <MicOff className={iconClass} aria-hidden />,
        title: 'Microphone access is blocked',
        text: 'Select the icon to the left of the address bar, allow the microphone for this page, then try again.',
        action: 'Try again',
        tone: 'negative',
      };
    case 'microphone-missing':
      return {
        icon: <MicOff className={iconClass} aria-hidden />,
        title: 'No microphone found',
        text: 'Connect a headset, or close the program that is using the microphone. Until then, customers cannot hear you.',
        action: 'Try again',
        tone: 'negative',
      };
    case 'microphone-changed':
      return {
        icon: <Mic className={iconClass} aria-hidden />,
        title: 'Your microphone was disconnected',
        text: 'Another microphone is in use. Yours is used again when you reconnect it.',
        action: 'OK',
        tone: 'warning',
      };
    case 'audio-blocked':
      return {
        icon: <Volume2 className={iconClass} aria-hidden />,
        title: 'Your browser blocked the audio',
        text: null,
        action: 'Turn on audio',
        tone: 'warning',
      };
    case 'failed':
      return {
        icon: <CircleAlert className={iconClass} aria-hidden />,
        title: problem.message,
        text: null,
        action: 'Dismiss',
        tone: 'negative',
      };
  }
}

/** A problem, its solution, and a button that solves it if possible. */
export function ProblemBanner({ problem, onResolve }: { problem: PhoneProblem; onResolve(): void }) {
  const { icon, title, text, action, tone } = messageFor(problem);
  return (
    <section
      role="alert"
      className={classNames(
        'cl-rise flex items-start gap-3 px-5 py-3.5',
        tone === 'negative' ? 'bg-negative-soft' : 'bg-warning-soft',
      )}
    >
      <span className={classNames('mt-0.5 shrink-0', tone === 'negative' ? 'text-negative' : 'text-warning')}>
        {icon}
      </span>
      <div className="min-w-0 flex-1 text-sm text-ink">
        <p className="font-semibold">{title}</p>
        {text && <p className="mt-0.5 text-pretty">{text}</p>}
        <button
          type="button"
          className="cl-focus mt-1 -ml-2 min-h-8 rounded-lg px-2 font-semibold text-ink underline decoration-line-strong underline-offset-4 hover:decoration-ink"
          onClick={onResolve}
        >
          {action}
        </button>
      </div>
    </section>
  );
}
