'use client';

import { Button, CheckList, RelativeTime, Section, Skeleton, type CheckState } from '@clarion/ui';
import { RefreshCw } from 'lucide-react';
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
const states: Record<Check['state'], CheckState> = {
  OK: 'ok',
  WARNING: 'warning',
  FAILED: 'failed',
  UNKNOWN: 'unknown',
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
        <CheckList
          label="Connection to WhatsApp"
          checks={status.checks.map(({ check, state, message, fix }) => ({
            key: check,
            state: states[state],
            title: titles[check],
            text: message,
            ...(fix !== null && { fix }),
          }))}
        />
      )}
    </Section>
  );
}
