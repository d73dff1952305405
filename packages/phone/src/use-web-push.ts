import type { Agent, WebPushOptions } from '@clarion/sdk';
import type { PhoneWebPush } from '@clarion/ui';
import { useCallback, useState } from 'react';
import { errorMessageOf } from './use-agent.ts';
import { webPushView } from './web-push-view.ts';

const settled = { asking: false, error: null as string | null };

/** @param options undefined: the embedding page has no service worker for it */
export function useWebPush(
  agent: Agent | null,
  options: WebPushOptions | undefined,
): { webPush: PhoneWebPush | null; setWebPush(on: boolean): void } {
  const [change, setChange] = useState(settled);
  const { serviceWorkerUrl, phoneUrl } = options ?? {};
  const setWebPush = useCallback(
    (on: boolean) => {
      if (!agent || serviceWorkerUrl === undefined) return;
      setChange({ asking: on, error: null });
      const work = on ? agent.webPush.enable({ serviceWorkerUrl, phoneUrl }) : agent.webPush.disable();
      work.then(
        () => setChange(settled),
        (reason: unknown) => setChange({ asking: false, error: errorMessageOf(reason) }),
      );
    },
    [agent, serviceWorkerUrl, phoneUrl],
  );
  return {
    webPush: agent && serviceWorkerUrl !== undefined ? webPushView(agent.webPush, change) : null,
    setWebPush,
  };
}
