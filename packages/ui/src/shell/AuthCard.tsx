import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';

export interface AuthCardProps {
  title: ReactNode;
  description?: ReactNode;
  /** Shown above the card. */
  brand?: ReactNode;
  children: ReactNode;
  /** Shown below the card, such as a link to another page. */
  footer?: ReactNode;
  className?: string;
}

/** A page with one centred form: sign-in, two-factor authentication, invitation. */
export function AuthCard({ title, description, brand, children, footer, className }: AuthCardProps) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 bg-canvas px-4 py-10 font-sans text-ink">
      {brand}
      <div
        className={classNames(
          'w-full max-w-sm rounded-panel border border-line bg-surface p-6 shadow-card sm:p-8',
          className,
        )}
      >
        <h1 className="text-xl font-semibold tracking-tight text-balance">{title}</h1>
        {description !== undefined && (
          <div className="mt-1 text-md text-pretty text-muted">{description}</div>
        )}
        <div className="mt-6">{children}</div>
      </div>
      {footer !== undefined && <div className="max-w-sm text-center text-md text-muted">{footer}</div>}
    </main>
  );
}
