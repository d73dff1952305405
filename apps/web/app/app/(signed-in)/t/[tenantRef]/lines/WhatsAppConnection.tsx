'use client';

import { Button, RelativeTime, Section, Skeleton } from '@clarion/ui';
import { CircleCheck, CircleHelp, CircleX, RefreshCw, TriangleAlert } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';

const PATH = '/v1/tenants/{tenantRef}/channels/{channelRef}/whatsapp-status';
type Check = Answer<'GET', typeof PATH>['whatsAppStatus']['checks'][number];

const titles: Record<Check['check'], string> = {
  ACCESS_TOKEN: 'Access token',
  NUMBER: 'Number',
  CALLING: 'Calling',
  WEBHOOK: 'Webhooks',
  CALL_ICON: 'Call button',
  CALLBACK_PERMISSION: 'Permission to call back',
};
const states: Record<Check['state'], { name: string; Icon: typeof CircleCheck; tone: string }> = {
  OK: { name: 'Works', Icon: CircleCheck, tone: 'text-positive' },
  WARNING: { name: 'Warning', Icon: TriangleAlert, tone: 'text-warning' },
  FAILED: { name: 'Does not work', Icon: CircleX, tone: 'text-negative-text' },
  UNKNOWN: { name: 'Not known', Icon: CircleHelp, tone: 'text-muted' },
};

/** What WhatsApp reports about the number of a line, and what to do about it. */
export function WhatsAppConnection({ tenantRef, channelRef }: { tenantRef: string; channelRef: string }) {
  const { data, error, isFetching, refetch } = useGet(PATH, { path: { tenantRef, channelRef } });
  const status = data?.whatsAppStatus;
  return (
    <Section
      title="Connection to WhatsApp"
      {...(status !== undefined && {
        description: (
          <>
            Checked <RelativeTime at={status.checkedAt} />
            {status.lastWebhookAt !== null && (
              <>
                . Last webhook of a call <RelativeTime at={status.lastWebhookAt} />
              </>
            )}
            .
          </>
        ),
      })}
      actions={
        <Button
          size="sm"
          busy={isFetching}
          icon={<RefreshCw className="size-4" aria-hidden />}
          onClick={() => void refetch()}
        >
          Check again
        </Button>
      }
    >
      {error !== null ? (
        <ReadProblem what="The connection" problem={error} onRetry={() => void refetch()} />
      ) : status === undefined ? (
        <Skeleton className="h-64!" />
      ) : (
        <ul
          className="flex flex-col divide-y divide-line rounded-panel border border-line"
          aria-live="polite"
        >
          {status.checks.map((check) => (
            <CheckRow key={check.check} check={check} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function CheckRow({ check: { check, state, message, fix } }: { check: Check }) {
  const { name, Icon, tone } = states[state];
  return (
    <li className="flex gap-3 px-4 py-3">
      <span role="img" aria-label={name} title={name} className={`mt-0.5 shrink-0 ${tone}`}>
        <Icon className="size-4.5" aria-hidden />
      </span>
      <div className="min-w-0 text-md text-pretty wrap-anywhere">
        <p className="font-medium">{titles[check]}</p>
        <p className="text-muted">{message}</p>
        {fix !== null && <p className="mt-1">{fix}</p>}
      </div>
    </li>
  );
}
