'use client';

import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { Link, type LinkComponent } from '../shared/link.tsx';
import { usePortal } from '../shared/portal.tsx';
import { optionClass, popupClass } from '../shared/surfaces.ts';

export interface MenuItem {
  label: string;
  icon?: ReactNode;
  tone?: 'negative';
  disabled?: boolean;
  onSelect?(): void;
  /** Makes the item a link. */
  href?: string;
}

export interface MenuProps {
  /** The accessible name of the menu. */
  label: string;
  /** The button that opens it, such as `<IconButton label="More" …/>`. */
  trigger: ReactElement;
  items: MenuItem[];
  as?: LinkComponent;
  /** Content above the items, such as the signed-in user. */
  header?: ReactNode;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom';
  /** The menu opens when it is mounted, because it was pressed before it was loaded. */
  defaultOpen?: boolean;
  className?: string;
}

export function Menu({
  label,
  trigger,
  items,
  as,
  header,
  align = 'end',
  side = 'bottom',
  defaultOpen = false,
  className,
}: MenuProps) {
  const portal = usePortal();
  return (
    <Base.Root defaultOpen={defaultOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal {...portal}>
        <Base.Positioner className="z-60 outline-hidden" sideOffset={6} align={align} side={side}>
          <Base.Popup aria-label={label} className={classNames(popupClass, 'min-w-48 max-w-80', className)}>
            {header !== undefined && (
              <div className="mb-1 border-b border-line px-2.5 pt-1.5 pb-2 text-md wrap-anywhere">
                {header}
              </div>
            )}
            {items.map(({ label: text, icon, tone, disabled = false, onSelect, href }) => {
              const look = classNames(optionClass, tone === 'negative' && 'text-negative-text');
              const inside = (
                <>
                  {icon !== undefined && <span className="shrink-0 [&_svg]:size-4">{icon}</span>}
                  <span className="min-w-0 flex-1">{text}</span>
                </>
              );
              return href === undefined ? (
                <Base.Item key={text} className={look} disabled={disabled} onClick={() => onSelect?.()}>
                  {inside}
                </Base.Item>
              ) : (
                <Base.LinkItem key={text} className={look} closeOnClick render={<Link as={as} href={href} />}>
                  {inside}
                </Base.LinkItem>
              );
            })}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
