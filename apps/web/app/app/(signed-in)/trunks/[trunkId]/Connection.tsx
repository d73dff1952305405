'use client';

import {
  DateTime,
  DescriptionList,
  RelativeTime,
  Section,
  Skeleton,
  type DescriptionItem,
} from '@clarion/ui';
import type { OwnTrunk } from '#lib/dashboard/edit/resources.ts';
import { RegistrationBadge, UpBadge } from '#lib/dashboard/trunks/TrunkConnection.tsx';
import type { Diagnostics } from './use-diagnostics.ts';

interface ConnectionProps {
  trunk: OwnTrunk;
  diagnostics: Diagnostics | undefined;
}

/** What was last seen of the carrier. */
export function Connection({ trunk, diagnostics }: ConnectionProps) {
  return (
    <Section title="Connection">
      {diagnostics === undefined ? (
        <Skeleton className="h-40" />
      ) : (
        <DescriptionList items={factsOf(trunk, diagnostics)} />
      )}
    </Section>
  );
}

function factsOf({ register }: OwnTrunk, diagnostics: Diagnostics): DescriptionItem[] {
  const { ping, upChangedAt, registration, lastInvite, target, pingSeconds } = diagnostics;
  return [
    {
      term: 'Carrier',
      value: (
        <span className="flex flex-col items-start gap-1">
          <span className="flex flex-wrap items-center gap-2">
            <UpBadge up={ping?.up ?? null} />
            {upChangedAt !== null && (
              <span className="text-sm text-muted">
                since <RelativeTime at={upChangedAt} />
              </span>
            )}
          </span>
          {ping === null ? (
            <span className="text-sm text-muted">
              An active trunk is checked every {pingSeconds} seconds (OPTIONS).
            </span>
          ) : (
            <span className="text-sm text-muted">
              {ping.error ?? `${ping.status} ${ping.reason ?? ''}`}
              {ping.rttMs !== null && `, in ${Math.round(ping.rttMs)} ms`}, <RelativeTime at={ping.at} />
            </span>
          )}
        </span>
      ),
    },
    ...(register
      ? [
          {
            term: 'Registration',
            value: (
              <span className="flex flex-col items-start gap-1">
                <RegistrationBadge state={registration?.state ?? null} />
                {registration !== null && (
                  <span className="text-sm text-muted">
                    {registration.error !== null && `${registration.error} ${registration.fix ?? ''} `}
                    {registration.expiresAt === null ? (
                      <>
                        Tried <RelativeTime at={registration.at} />
                      </>
                    ) : (
                      <>
                        Until <DateTime at={registration.expiresAt} />
                      </>
                    )}
                  </span>
                )}
              </span>
            ),
          },
        ]
      : []),
    { term: 'Outbound calls go to', value: <code className="font-mono text-sm">{target}</code> },
    {
      term: 'Last inbound call',
      value:
        lastInvite === null ? (
          <span className="text-muted">None yet</span>
        ) : (
          <span className="flex flex-col">
            <RelativeTime at={lastInvite.at} />
            <span className="text-sm text-muted">
              to {lastInvite.number} from <code className="font-mono">{lastInvite.source}</code>
            </span>
          </span>
        ),
    },
  ];
}
