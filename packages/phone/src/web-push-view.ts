/** Maps the SDK's web push to the phone's switch. Pure. */
import type { WebPush } from '@clarion/sdk';
import type { PhoneWebPush } from '@clarion/ui';

/** @returns null if this browser cannot receive push notifications here, or if the account has not set up web push */
export function webPushView(
  push: Pick<WebPush, 'supported' | 'available' | 'permission' | 'subscribed'>,
  { asking, error }: { asking: boolean; error: string | null },
): PhoneWebPush | null {
  if (!push.supported || !push.available) return null;
  if (asking) return { state: 'asking', error: null };
  if (push.subscribed) return { state: 'on', error };
  if (push.permission === 'denied') return { state: 'blocked', error: null };
  return { state: 'off', error };
}
