import { PhoneOff } from 'lucide-react';
import { Avatar, CallerName, CallOrigin } from './Caller.tsx';
import { formatDuration } from './format.ts';
import type { PhoneActions, PhoneView } from './model.ts';
import { RoundButton } from './RoundButton.tsx';
import { useFocusOnMount } from './focus.ts';
import { useNow } from '../shared/use-now.ts';

const TIMER_INTERVAL_MS = 500;

interface DialingViewProps {
  view: PhoneView & { at: 'dialing' };
  onHangUp: PhoneActions['hangUp'];
}

/** Shown while the customer is being called. */
export function DialingView({ view: { call, since }, onHangUp }: DialingViewProps) {
  const now = useNow(TIMER_INTERVAL_MS);
  const hangUp = useFocusOnMount<HTMLButtonElement>();
  return (
    <div className="flex flex-1 flex-col items-center gap-6 px-5 pt-10">
      <Avatar call={call} large />
      <div className="flex w-full flex-col items-center gap-2">
        <CallerName call={call} />
        <CallOrigin call={call} />
      </div>
      <p className="flex items-center gap-2 text-base text-muted">
        Calling
        <span className="tabular-nums" aria-hidden>
          {formatDuration((now - since) / 1000)}
        </span>
      </p>
      <div className="sticky bottom-0 mt-auto pb-5">
        <RoundButton
          ref={hangUp}
          large
          tone="negative"
          label="Cancel"
          shortcut="Escape"
          icon={<PhoneOff className="size-7" aria-hidden />}
          onPress={() => onHangUp(call.id)}
        />
      </div>
    </div>
  );
}
