import { FramePhone } from '@clarion/phone/frame';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { frameAncestorsFor } from '#lib/embed/allowed-origins.ts';
import { PUSH_WORKER_PATH, phonePage } from '#lib/embed/push-worker.ts';
import { pathRef } from '#lib/session/path-ref.ts';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Agent phone', robots: { index: false } };

interface EmbeddedPhoneProps {
  params: Promise<{ slug: string }>;
  searchParams: Promise<{ theme?: string | string[]; phone_url?: string | string[] }>;
}

/** The agent phone for a frame. The embedding page provides the agent token; without allowed origins it shows a notice. */
export default async function EmbeddedPhone({
  params,
  searchParams,
}: EmbeddedPhoneProps): Promise<ReactNode> {
  const [{ slug }, { theme, phone_url: asked }] = await Promise.all([params, searchParams]);
  const allowedOrigins = await frameAncestorsFor(pathRef(slug));
  const phoneUrl = phonePage(asked, allowedOrigins);
  return (
    <main
      className="h-dvh font-sans text-ink"
      {...((theme === 'light' || theme === 'dark') && { 'data-theme': theme })}
    >
      {allowedOrigins.length === 0 ? (
        <p className="p-4 text-base">The phone cannot be shown because the account has no allowed origins.</p>
      ) : (
        <FramePhone
          allowedOrigins={allowedOrigins}
          webPush={phoneUrl === null ? undefined : { serviceWorkerUrl: PUSH_WORKER_PATH, phoneUrl }}
        />
      )}
    </main>
  );
}
