import { useId, type ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';

export interface SectionProps {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A section of a page with a heading. */
export function Section({ title, description, actions, children, className }: SectionProps) {
  const id = useId();
  return (
    <section
      {...(title !== undefined && { 'aria-labelledby': id })}
      className={classNames('flex min-w-0 flex-col gap-3', className)}
    >
      {(title !== undefined || actions !== undefined) && (
        <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
          <div className="min-w-0 flex-1 basis-64">
            {title !== undefined && (
              <h2 id={id} className="text-base font-semibold wrap-anywhere text-ink">
                {title}
              </h2>
            )}
            {description !== undefined && (
              <div className="mt-0.5 max-w-2xl text-md text-pretty wrap-anywhere text-muted">
                {description}
              </div>
            )}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}
