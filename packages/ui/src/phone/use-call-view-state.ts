import { useState } from 'react';
import type { PhoneView } from './model.ts';

export type OpenSheet = 'transfer' | 'notes' | 'settings';

/** The view state of one call: open sheet, keypad, digits sent, ringtone silenced. */
interface Memory {
  callId: number;
  silenced: boolean;
  keypadOpen: boolean;
  sent: string;
  sheet: OpenSheet | null;
}

export interface CallViewState extends Omit<Memory, 'callId'> {
  silence(): void;
  toggleKeypad(): void;
  /** @returns whether it was open */
  closeKeypad(): boolean;
  pressed(key: string): void;
  open(sheet: OpenSheet): void;
  closeSheet(): void;
}

const nothingYet = (callId: number): Memory => ({
  callId,
  silenced: false,
  keypadOpen: false,
  sent: '',
  sheet: null,
});

/** Reset with each call. A sheet that needs a live call closes when the call ends. */
export function useCallViewState(view: PhoneView): CallViewState {
  const callId = view.at === 'idle' ? 0 : view.call.id;
  const [kept, setKept] = useState(() => nothingYet(callId));
  const memory = kept.callId === callId ? kept : nothingYet(callId);
  const remember = (change: Partial<Memory>) => setKept({ ...memory, ...change });
  const talking = view.at === 'active' && view.audio !== 'elsewhere' && view.transfer === null;
  return {
    ...memory,
    sheet: memory.sheet === 'settings' || talking ? memory.sheet : null,
    silence: () => remember({ silenced: true }),
    toggleKeypad: () => remember({ keypadOpen: !memory.keypadOpen }),
    closeKeypad: () => {
      if (memory.keypadOpen) remember({ keypadOpen: false });
      return memory.keypadOpen;
    },
    pressed: (key) => remember({ keypadOpen: true, sent: memory.sent + key }),
    open: (sheet) => remember({ sheet }),
    closeSheet: () => remember({ sheet: null }),
  };
}
