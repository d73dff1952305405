'use client';

import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { Link, type LinkComponent } from '../shared/link.tsx';

export interface PageProps {
  title: ReactNode;
  description?: ReactNode;
  /** Buttons to the right of the title, or below it if there is no room. */
  actions?: ReactNode;
  back?: { label: string; href: string };
  /** Shown next to the title, such as a badge. */
  mark?: ReactNode;
  as?: LinkComponent;
  /** `wide` is for tables, `narrow` for forms and text. */
  width?: 'narrow' | 'normal' | 'wide';
  children: ReactNode;
  className?: string;
}

/** A narrow page has the same left edge as others, so that titles stay in place. */
const widths = { narrow: 'max-w-6xl *:max-w-2xl', normal: 'max-w-6xl', wide: 'max-w-[100rem]' };

/** A page with a title, actions and sections. */
export function Page({
  title,
  description,
  actions,
  back,
  mark,
  as,
  width = 'normal',
  children,
  className,
}: PageProps) {
  return (
    <div
      className={classNames(
        'mx-auto w-full px-4 text-md pt-6 pb-16 sm:px-8 sm:pt-8',
        widths[width],
        className,
      )}
    >
      <header className="mb-6 flex flex-col gap-1.5">
        {back !== undefined && (
          <Link
            as={as}
            href={back.href}
            className="cl-focus -ml-1 flex min-h-8 items-center gap-0.5 self-start rounded-md pr-2 text-md text-muted hover:text-ink pointer-coarse:min-h-11"
          >
            <ChevronLeft className="size-4 shrink-0" aria-hidden />
            <span className="min-w-0 wrap-anywhere">{back.label}</span>
          </Link>
        )}
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <div className="min-w-0 flex-1 basis-72">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <h1 className="min-w-0 text-xl font-semibold tracking-tight text-balance [overflow-wrap:anywhere] text-ink">
                {title}
              </h1>
              {mark}
            </div>
            {description !== undefined && (
              <div className="mt-1 max-w-2xl text-md text-pretty wrap-anywhere text-muted">{description}</div>
            )}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      </header>
      <div className="flex min-w-0 flex-col gap-8">{children}</div>
    </div>
  );
}
