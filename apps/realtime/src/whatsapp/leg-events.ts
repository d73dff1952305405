/** Reports to the engine what happened to the customer's leg at Meta. */
import type { LegEnd } from '@clarion/protocol/media';
import { withRetries } from '../lib/retry.ts';
import type { WhatsAppContext } from './context.ts';

/** The customer's leg has ended at Meta. The step releases it at media. */
export const legEnded = (
  { engine }: Pick<WhatsAppContext, 'engine'>,
  { callId, legId }: { callId: number; legId: string },
  end: LegEnd,
) => withRetries(() => engine.step(callId, { type: 'leg-ended', legId, end, stats: null }));
