'use client';

import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { Link, type LinkComponent } from '../shared/link.tsx';

export interface Tab {
  value: string;
  label: ReactNode;
  /** Omitted if the page shows the content itself. */
  content?: ReactNode;
}

export interface TabsProps {
  /** The accessible name of the tab list. */
  label?: string;
  tabs: readonly Tab[];
  value?: string;
  defaultValue?: string;
  onValueChange?(value: string): void;
  className?: string;
}

const barClass = 'relative flex gap-5 overflow-x-auto overflow-y-hidden border-b border-line';
const tabClass =
  'cl-focus flex min-h-10 shrink-0 items-center gap-2 rounded-t-md text-md font-medium whitespace-nowrap text-muted -outline-offset-2! hover:text-ink pointer-coarse:min-h-11';

export function Tabs({ label, tabs, value, defaultValue, onValueChange, className }: TabsProps) {
  return (
    <Base.Root
      {...(value === undefined ? { defaultValue: defaultValue ?? tabs[0]?.value ?? null } : { value })}
      onValueChange={(next: string) => onValueChange?.(next)}
      className={classNames('min-w-0', className)}
    >
      <Base.List aria-label={label} activateOnFocus={false} className={barClass}>
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className={classNames(tabClass, 'data-active:text-ink')}
          >
            {tab.label}
          </Base.Tab>
        ))}
        <Base.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-accent transition-all duration-150 motion-reduce:transition-none" />
      </Base.List>
      {tabs.map(
        (tab) =>
          tab.content !== undefined && (
            <Base.Panel key={tab.value} value={tab.value} className="cl-focus min-w-0 rounded-md pt-5">
              {tab.content}
            </Base.Panel>
          ),
      )}
    </Base.Root>
  );
}

export interface TabLinksProps {
  label: string;
  links: readonly { href: string; label: ReactNode }[];
  /** The current path. */
  current: string;
  as?: LinkComponent;
  className?: string;
}

/** Tabs that are links to separate pages. */
export function TabLinks({ label, links, current, as, className }: TabLinksProps) {
  return (
    <nav aria-label={label} className={classNames(barClass, className)}>
      {links.map(({ href, label: text }) => (
        <Link
          as={as}
          key={href}
          href={href}
          {...(href === current && { 'aria-current': 'page' })}
          className={classNames(
            tabClass,
            'border-b-2',
            href === current ? 'border-accent text-ink' : 'border-transparent',
          )}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
