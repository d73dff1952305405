'use client';

import { IconButton, Notice, RelativeTime, Skeleton } from '@clarion/ui';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import { useChange, useGet } from '#lib/dashboard/queries.ts';

const path = '/v1/tenants/{tenantRef}/agents/{agentRef}/push-tokens';
const providers = { FCM: 'Firebase', APNS_VOIP: 'Apple VoIP', ONESIGNAL: 'OneSignal', WEB_PUSH: 'web push' };
const platforms = { ANDROID: 'Android', IOS: 'iOS', WEB: 'Web' };

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
          {data.pushTokens.map(({ deviceId, provider, platform, token, updatedAt }) => (
            <li key={`${deviceId} ${provider}`} className="flex items-center gap-3 py-2">
              <span className="min-w-0 flex-1">
                <span className="block truncate">
                  {platforms[platform]}, {providers[provider]}
                </span>
                <span className="block truncate text-sm text-muted">
                  <span className="font-mono">{deviceId}</span> · <span className="font-mono">{token}</span> ·{' '}
                  <RelativeTime at={updatedAt} />
                </span>
              </span>
              <IconButton
                label={`Remove ${deviceId}`}
                icon={<Trash2 />}
                size="sm"
                onClick={() => setAsking(deviceId)}
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
