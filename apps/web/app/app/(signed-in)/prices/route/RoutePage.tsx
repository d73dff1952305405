'use client';

import { EmptyState, Page, TextLink } from '@clarion/ui';
import { Route as RouteIcon } from 'lucide-react';
import { useState } from 'react';
import { resultText, type RoutePreview } from '#lib/dashboard/usage/route-rules.ts';
import { RouteForm, type RouteQuestion } from './RouteForm.tsx';
import { Routes } from './Routes.tsx';
import { Rules } from './Rules.tsx';

interface Shown {
  asked: RouteQuestion;
  preview: RoutePreview;
}

/** What would happen to an outbound call: the rules, the trunks and the prices, without a call. */
export function RoutePage() {
  const [shown, setShown] = useState<Shown | null>(null);
  return (
    <Page
      title="Route preview"
      description={
        <>
          Shows what would happen to an outbound call without placing it. Balances, limits of concurrent calls
          and the agent are not considered.{' '}
          <TextLink href="/docs/guides/usage-and-prices#route-preview">Learn more</TextLink>
        </>
      }
    >
      <RouteForm onAsk={() => setShown(null)} onShow={(asked, preview) => setShown({ asked, preview })} />
      <div role="status" className="-mb-4 empty:hidden">
        {shown !== null && (
          <p className="text-lg font-semibold text-pretty wrap-anywhere text-ink">
            {resultText(shown.preview)}
          </p>
        )}
      </div>
      {shown === null ? (
        <EmptyState icon={<RouteIcon />} title="No call checked yet">
          Choose a tenant and its line and enter the number that would be called.
        </EmptyState>
      ) : (
        <>
          {shown.preview.routes.length > 0 && <Routes routes={shown.preview.routes} />}
          <Rules {...shown} />
        </>
      )}
    </Page>
  );
}
