'use client';

import { credentialsOfToken, explainPushReason } from '@clarion/protocol/push-reasons';
import { Badge, IconButton, Notice, RelativeTime, Skeleton } from '@clarion/ui';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import { platformNames, tokenProviderNames } from '#lib/dashboard/push/device-names.ts';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';

const path = '/v1/tenants/{tenantRef}/agents/{agentRef}/push-tokens';
/** `lastResult` of a push notification that the provider accepted. */
const SENT = 'SENT';
type Token = Answer<'GET', typeof path>['pushTokens'][number];

/** The devices that ring by push notification while the agent's app is closed. */
export function PushTokens({ tenantRef, agentRef }: { tenantRef: string; agentRef: string }) {
  const { data, error } = useGet(path, { path: { tenantRef, agentRef } });
  const remove = useChange('DELETE', `${path}/{deviceId}`, { invalidates: [path] });
  const [asking, setAsking] = useState<string | null>(null);
  return (
    <section aria-label="Push notifications" className="flex flex-col gap-2 border-t border-line pt-5">
      <h3 className="text-base font-semibold">Devices with push notifications</h3>
      {error !== null && <Notice tone="negative">{problemMessage(error)}</Notice>}
      {data === undefined && error === null && <Skeleton className="max-w-60" />}
      {data?.pushTokens.length === 0 && (
        <p className="text-muted">
          No devices yet. Mobile apps register for push notifications when the agent signs in.
        </p>
      )}
      {data !== undefined && data.pushTokens.length > 0 && (
        <ul className="divide-y divide-line">
          {data.pushTokens.map((one) => (
            <li key={`${one.deviceId} ${one.provider}`} className="flex items-center gap-3 py-2">
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  {platformNames[one.platform]}, {tokenProviderNames[one.provider]}
                  {one.rejectedAt !== null && (
                    <Badge tone="warning" dot>
                      No longer valid
                    </Badge>
                  )}
                </p>
                <p className="truncate text-sm text-muted">
                  <span className="font-mono">{one.deviceId}</span> ·{' '}
                  <span className="font-mono">{one.token}</span> · registered{' '}
                  <RelativeTime at={one.updatedAt} />
                </p>
                <LastPush token={one} />
              </div>
              <IconButton
                label={`Remove ${one.deviceId}`}
                icon={<Trash2 />}
                size="sm"
                onClick={() => setAsking(one.deviceId)}
              />
            </li>
          ))}
        </ul>
      )}
      <ConfirmAction
        open={asking !== null}
        onClose={() => setAsking(null)}
        title="Remove this device?"
        confirmLabel="Remove device"
        tone="negative"
        onConfirm={() => remove.mutateAsync({ path: { tenantRef, agentRef, deviceId: asking ?? '' } })}
      >
        Calls no longer ring on this device while the app is closed. The app registers it again the next time
        it starts.
      </ConfirmAction>
    </section>
  );
}

function LastPush({ token: { provider, rejectedAt, lastPushedAt, lastResult } }: { token: Token }) {
  if (lastPushedAt === null || lastResult === null)
    return <p className="text-sm text-muted">No push notification yet.</p>;
  const isSent = lastResult === SENT;
  return (
    <p className={isSent ? 'text-sm text-muted' : 'text-sm text-warning'}>
      {isSent ? 'Last push accepted' : rejectedAt === null ? 'Last push failed' : 'Rejected'}{' '}
      <RelativeTime at={rejectedAt ?? lastPushedAt} />
      {!isSent && (
        <>
          {': '}
          {explainPushReason(credentialsOfToken[provider], { reason: lastResult })}
        </>
      )}
    </p>
  );
}
