import { useState } from 'react';
import type { PhoneView } from './model.ts';

/** What the agent has entered for the next outbound call. */
export interface DialPad {
  number: string;
  /** The chosen line; null: none was chosen. */
  lineRef: string | null;
  enter(number: string): void;
  chooseLine(ref: string | null): void;
}

/** Kept while calls are received, until the agent places one. */
export function useDialPad(view: PhoneView): DialPad {
  const [number, enter] = useState('');
  const [lineRef, chooseLine] = useState<string | null>(null);
  if (view.at === 'dialing' && number !== '') enter('');
  return { number, lineRef, enter, chooseLine };
}
