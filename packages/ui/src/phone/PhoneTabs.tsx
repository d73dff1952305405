import { History, Phone, Users } from 'lucide-react';
import { classNames } from '../shared/class-names.ts';

export type PhoneTab = 'phone' | 'recent' | 'team';

const tabs = {
  phone: { label: 'Phone', icon: Phone },
  recent: { label: 'Recent', icon: History },
  team: { label: 'Team', icon: Users },
} as const;

interface PhoneTabsProps {
  shown: PhoneTab[];
  current: PhoneTab;
  /** There is a call: the call tab is marked while another tab is open. */
  busy: boolean;
  className: string;
  onChoose(tab: PhoneTab): void;
}

export function PhoneTabs({ shown, current, busy, className, onChoose }: PhoneTabsProps) {
  return (
    <nav aria-label="Phone sections" className={classNames('border-line', className)}>
      {shown.map((tab) => {
        const { label, icon: Icon } = tabs[tab];
        const marked = tab === 'phone' && busy && current !== 'phone';
        return (
          <button
            key={tab}
            type="button"
            aria-current={tab === current ? 'true' : undefined}
            className="cl-focus relative flex min-h-12 flex-1 items-center justify-center gap-2 text-sm font-medium text-muted -outline-offset-2! transition-colors hover:text-ink aria-[current]:text-accent"
            onClick={() => onChoose(tab)}
          >
            <Icon className="size-4.5 shrink-0" aria-hidden />
            {label}
            {marked && (
              <span
                role="img"
                aria-label="On a call"
                title="On a call"
                className="size-2 shrink-0 rounded-full bg-positive"
              />
            )}
            {tab === current && (
              <span
                aria-hidden
                className="absolute inset-x-4 top-0 h-0.5 rounded-full bg-accent @2xl:top-auto @2xl:bottom-0"
              />
            )}
          </button>
        );
      })}
    </nav>
  );
}
