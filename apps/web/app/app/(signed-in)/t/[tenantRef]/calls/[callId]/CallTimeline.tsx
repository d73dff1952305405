import { Section, Timeline, type TimelineItem } from '@clarion/ui';
import {
  AlertTriangle,
  ArrowRightLeft,
  CircleDot,
  Disc,
  Ear,
  Hash,
  Hourglass,
  ListTree,
  Pause,
  PhoneCall,
  PhoneMissed,
  PhoneOff,
  BellRing,
  Smartphone,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { EntryIcon, TimelineEntry } from '#lib/dashboard/calls/timeline.ts';

const icons: Record<EntryIcon, ReactNode> = {
  begin: <CircleDot aria-hidden />,
  menu: <ListTree aria-hidden />,
  key: <Hash aria-hidden />,
  queue: <Hourglass aria-hidden />,
  ring: <BellRing aria-hidden />,
  missed: <PhoneMissed aria-hidden />,
  talk: <PhoneCall aria-hidden />,
  hold: <Pause aria-hidden />,
  transfer: <ArrowRightLeft aria-hidden />,
  listen: <Ear aria-hidden />,
  push: <Smartphone aria-hidden />,
  record: <Disc aria-hidden />,
  trouble: <AlertTriangle aria-hidden />,
  end: <PhoneOff aria-hidden />,
};

const timeOf = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export function CallTimeline({ items, began }: { items: readonly TimelineEntry[]; began: string }) {
  return (
    <Section
      title="Timeline"
      description="Times are in your time zone. The duration after each time is counted from the start of the call."
    >
      <Timeline items={items.map((item) => ({ ...lineOf(item, began) }))} />
    </Section>
  );
}

function lineOf({ at, title, detail, tone, icon }: TimelineEntry, began: string): TimelineItem {
  const since = Math.max(0, Math.round((Date.parse(at) - Date.parse(began)) / 1000));
  return {
    at: `${timeOf.format(new Date(at))}  +${clock(since)}`,
    title,
    icon: icons[icon],
    ...(detail !== undefined && { detail }),
    ...(tone && { tone }),
  };
}

const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
