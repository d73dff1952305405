'use client';

import { Button, formatDay, useToasts } from '@clarion/ui';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { windowOf } from '#lib/dashboard/calls/days.ts';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';
import type { UsageView } from './use-usage.ts';

/** Prices the usage of the period that has no price. */
export function PriceAgain({ view: { days, tooLong } }: { view: UsageView }) {
  const toasts = useToasts();
  const [open, setOpen] = useState(false);
  const reprice = useChange('POST', '/v1/usage/reprice', { invalidates: ['/v1/usage'] });
  return (
    <>
      <Button
        icon={<RotateCw className="size-4" aria-hidden />}
        disabled={tooLong}
        onClick={() => setOpen(true)}
      >
        Price again
      </Button>
      <ConfirmAction
        open={open}
        onClose={() => setOpen(false)}
        title="Price this period again?"
        confirmLabel="Price again"
        onConfirm={async () => {
          const result = await reprice.mutateAsync({ body: windowOf(days) });
          toasts.add({ title: 'Priced again', description: resultText(result), tone: 'positive' });
        }}
      >
        <p>
          Usage of all tenants from {formatDay(days.from)} to {formatDay(days.to)} that has no carrier cost or
          no charge gets one, from the rate decks of your trunks and the price plans of your tenants as they
          are set now. A deck&rsquo;s price is the one that was in force when the call began, or today&rsquo;s
          if it had none then.
        </p>
        <p className="mt-2">Prices that are already there and what you pay the platform do not change.</p>
      </ConfirmAction>
    </>
  );
}

function resultText({ cleared, ratings }: Answer<'POST', '/v1/usage/reprice'>): string {
  if (cleared === 0) return 'Every record in this period that can be priced already has a price.';
  const records = cleared === 1 ? '1 record without a price was' : `${cleared} records without a price were`;
  const found = ratings === 0 ? 'no price was' : ratings === 1 ? '1 price was' : `${ratings} prices were`;
  return `${records} priced again, and ${found} found.`;
}
