'use client';

import { useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { invalidate } from '../queries.ts';
import { RequestProblem } from '../request.ts';
import { formatMoney } from './format-money.ts';
import { BILLING_PATHS } from './resources.ts';

/** After these, the request may have been run, or may still be running. */
const UNCERTAIN: RequestProblem['code'][] = ['unreachable', 'idempotency_key_in_use'];

/**
 * Sends a top-up or adjustment, and shows the new balance. The same request is repeated with the same Idempotency-Key while its outcome is not
 * known, so that nothing is booked twice.
 */
export function useBalanceChange(currency: string) {
  const toasts = useToasts();
  const client = useQueryClient();
  const pending = useRef<{ body: string; key: string } | null>(null);
  return async (
    body: unknown,
    send: (idempotencyKey: string) => Promise<{ balance: string }>,
  ): Promise<void> => {
    const text = JSON.stringify(body);
    const { key } = pending.current?.body === text ? pending.current : { key: crypto.randomUUID() };
    pending.current = { body: text, key };
    try {
      const { balance } = await send(key);
      pending.current = null;
      await invalidate(client, BILLING_PATHS);
      toasts.add({ title: `The balance is now ${formatMoney(balance)} ${currency}`, tone: 'positive' });
    } catch (failure) {
      if (!(failure instanceof RequestProblem) || !UNCERTAIN.includes(failure.code)) pending.current = null;
      throw failure;
    }
  };
}
