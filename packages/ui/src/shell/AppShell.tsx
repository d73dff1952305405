'use client';

import { Menu as MenuIcon } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from '../actions/Button.tsx';
import { Badge } from '../data/Badge.tsx';
import { classNames } from '../shared/class-names.ts';
import { scrollIntoSight } from '../shared/scroll-into-sight.ts';
import { Link, type LinkComponent } from '../shared/link.tsx';
import { whenOpen } from '../on-demand/on-demand.tsx';
import { currentHref } from './current-href.ts';
import type { NavigationDrawerProps } from './NavigationDrawer.tsx';

const NavigationDrawer = whenOpen<NavigationDrawerProps>(
  async () => (await import('./NavigationDrawer.tsx')).NavigationDrawer,
  ({ open }) => open,
);

export interface NavItem {
  href: string;
  label: string;
  icon: ReactNode;
  /** A figure or short text at the right. */
  badge?: ReactNode;
  /** Not available yet: shown, but not a link. */
  soon?: boolean;
}

export interface NavGroup {
  label?: string;
  items: readonly NavItem[];
}

export interface AppShellProps {
  brand: ReactNode;
  nav: readonly NavGroup[];
  /** The current path. An item is marked as current if its path is this path or a parent of it. */
  current: string;
  as?: LinkComponent;
  /** The current account, at the top of the navigation. */
  top?: ReactNode;
  /** The signed-in user, at the bottom of the navigation. */
  account: ReactNode;
  /** Shown above every page: signed in for a customer, account suspended. */
  banner?: ReactNode;
  /** At the right of the top bar on small screens: search, the phone. */
  tools?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** The layout of every page. The navigation is at the side from 1024 px on, and in a drawer below that. */
export function AppShell({
  brand,
  nav,
  current,
  as,
  top,
  account,
  banner,
  tools,
  children,
  className,
}: AppShellProps) {
  const [open, setOpen] = useState(false);
  const side = (
    <>
      {top !== undefined && <div className="px-3 pb-3">{top}</div>}
      <Navigation nav={nav} current={current} as={as} onGo={() => setOpen(false)} />
      <div className="border-t border-line p-3">{account}</div>
    </>
  );
  return (
    <div className={classNames('min-h-dvh bg-canvas font-sans text-ink lg:pl-60', className)}>
      <a
        href="#content"
        className="cl-focus sr-only z-90 rounded-control bg-surface px-4 py-2 text-md font-medium text-ink shadow-card focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <aside className="fixed inset-y-0 left-0 z-30 hidden w-60 flex-col border-r border-line bg-surface lg:flex">
        <div className="flex min-h-15 items-center px-5">{brand}</div>
        {side}
      </aside>
      <header className="sticky top-0 z-30 flex min-h-14 items-center gap-2 border-b border-line bg-surface px-2 lg:hidden">
        <Button
          tone="plain"
          className="w-11 px-0!"
          aria-label="Menu"
          aria-haspopup="dialog"
          aria-expanded={open}
          icon={<MenuIcon className="size-5" aria-hidden />}
          onClick={() => setOpen(true)}
        />
        <div className="min-w-0 flex-1">{brand}</div>
        {tools}
      </header>
      <NavigationDrawer open={open} onOpenChange={setOpen} brand={brand}>
        {side}
      </NavigationDrawer>
      <div className="min-w-0">
        {banner}
        <main id="content" tabIndex={-1} className="min-w-0 outline-hidden">
          {children}
        </main>
      </div>
    </div>
  );
}

interface NavigationProps {
  nav: readonly NavGroup[];
  current: string;
  as: LinkComponent | undefined;
  onGo(): void;
}

function Navigation({ nav, current, as, onGo }: NavigationProps) {
  const here = currentHref(nav, current);
  const list = useRef<HTMLElement>(null);
  const count = nav.reduce((sum, { items }) => sum + items.length, 0);
  // A long navigation scrolls: keep the current item visible, even if items are added before it later.
  useEffect(() => {
    const item = list.current?.querySelector('[aria-current=page]');
    if (list.current && item) scrollIntoSight(list.current, item);
  }, [here, count]);
  return (
    <nav ref={list} aria-label="Main" className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-3 pb-4">
      {nav.map((group, index) => (
        <div key={group.label ?? index} className="not-first:mt-5">
          {group.label !== undefined && (
            <p className="px-2.5 pb-1 text-xs font-medium text-muted">{group.label}</p>
          )}
          <ul className="flex flex-col gap-px">
            {group.items.map(({ href, label, icon, badge, soon = false }) => {
              const inside = (
                <>
                  <span className="shrink-0 [&_svg]:size-4.5 [&_svg]:stroke-[1.75]">{icon}</span>
                  <span className="min-w-0 flex-1 truncate">{label}</span>
                  {soon ? <Badge>Soon</Badge> : badge}
                </>
              );
              return (
                <li key={href}>
                  {soon ? (
                    <span className={classNames(itemClass, 'text-muted')}>{inside}</span>
                  ) : (
                    <Link
                      as={as}
                      href={href}
                      onClick={onGo}
                      {...(href === here && { 'aria-current': 'page' })}
                      className={classNames(
                        itemClass,
                        'cl-focus -outline-offset-2!',
                        href === here
                          ? 'bg-accent-soft font-medium text-accent'
                          : 'text-ink hover:bg-raised [&_svg]:text-muted',
                      )}
                    >
                      {inside}
                    </Link>
                  )}
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

const itemClass =
  'flex min-h-9 w-full items-center gap-2.5 rounded-control px-2.5 text-md pointer-coarse:min-h-11';
