'use client';

import { Section, Skeleton, TextLink } from '@clarion/ui';
import { lineHref } from '#lib/dashboard/trunks/addresses.ts';
import type { PhoneNumber } from '#lib/dashboard/trunks/use-lines-of-trunks.ts';

/** The lines on the trunk, with their numbers. */
export function LinesOfTrunk({ lines }: { lines: readonly PhoneNumber[] | undefined }) {
  return (
    <Section title="Lines" actions={<TextLink href="/app/numbers">All numbers</TextLink>}>
      {lines === undefined ? (
        <Skeleton className="h-16" />
      ) : lines.length === 0 ? (
        <p className="text-md text-muted">No line uses this trunk yet.</p>
      ) : (
        <ul className="flex flex-col divide-y divide-line text-md">
          {lines.map((line) => (
            <li key={line.id} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2">
              <LineLink line={line} />
              <span className="text-sm text-muted">{line.tenantRef}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

export function LineLink({ line }: { line: PhoneNumber }) {
  const href = lineHref(line);
  const number = <span className="tabular-nums">{line.number}</span>;
  return href === null ? number : <TextLink href={href}>{number}</TextLink>;
}
