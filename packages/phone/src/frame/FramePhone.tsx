'use client';

import type { WebPushOptions } from '@clarion/sdk';
import { useEffect, useMemo, useState } from 'react';
import { ClarionPhone } from '../ClarionPhone.tsx';
import type { PhoneEvent } from '../use-phone-events.ts';
import { ParentPage } from './parent.ts';

interface FramePhoneProps {
  /** The origins whose pages may embed the phone. */
  allowedOrigins: readonly string[];
  /** Browsers allow it only if the parent page has the origin of the frame. */
  webPush?: WebPushOptions | undefined;
}

/** The phone in a frame. The parent page provides the agent token and receives the events. */
export function FramePhone({ allowedOrigins, webPush }: FramePhoneProps) {
  const [page, setPage] = useState<ParentPage | null>(null);
  const origins = allowedOrigins.join(' ');
  useEffect(() => {
    const around = new ParentPage(origins.split(' '));
    setPage(around);
    return () => around.close();
  }, [origins]);

  const around = useMemo(() => page && connections(page), [page]);
  if (!page || !around) return null;
  if (!page.mayEmbedPhone)
    return (
      <p role="alert" style={{ padding: '1rem' }}>
        This page cannot show the phone. Add its origin to the allowed origins of the account.
      </p>
    );
  return <ClarionPhone minimisable webPush={webPush} {...around} />;
}

function connections(page: ParentPage) {
  return {
    getToken: async () => {
      const reply = await page.request({ type: 'clarion:token-request' });
      if (reply.type !== 'clarion:token')
        throw new Error('The page that embeds the phone did not return a token.');
      return reply.token;
    },
    createCall: async (line: string, to: string) => {
      const reply = await page.request({ type: 'clarion:call-request', line, to });
      if (reply.type !== 'clarion:call')
        throw new Error('The page that embeds the phone did not create a call.');
      return reply.callId;
    },
    saveNote: (callId: number, text: string) => page.post({ type: 'clarion:note', callId, text }),
    onEvent: ({ type, ...detail }: PhoneEvent) => page.post({ type: 'clarion:event', event: type, detail }),
    onMinimise: (minimised: boolean) => page.post({ type: 'clarion:minimised', minimised }),
  };
}
