import type { KeyboardEvent } from 'react';
import type { PhoneActions, PhoneView } from './model.ts';

interface PhoneKeys {
  view: PhoneView;
  actions: PhoneActions;
  onSilence(): void;
  onToggleKeypad(): void;
  closeKeypad(): boolean;
  onDigit(digit: string): void;
  onTransfer(): void;
  onNotes(): void;
}

/**
 * Single keys work only while the focus is inside the phone (WCAG 2.1.4), and never in a text field.
 * Ringing: A answers, D declines, Escape silences. In a call: M mutes, H holds, K opens the keypad, T transfers, N opens the notes,
 * and digits are sent.
 */
export function phoneKeyHandler({
  view,
  actions,
  onSilence,
  onToggleKeypad,
  closeKeypad,
  onDigit,
  onTransfer,
  onNotes,
}: PhoneKeys) {
  return (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // Portalled dialogs and lists are React children of the phone, but not inside its element.
    if (!(event.target instanceof Node) || !event.currentTarget.contains(event.target)) return;
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
    if (event.target instanceof Element && event.target.closest('[role=dialog]')) return;
    if (handle(event.key)) event.preventDefault();
  };

  function handle(key: string): boolean {
    const letter = key.toLowerCase();
    switch (view.at) {
      case 'incoming':
        if (letter === 'a' && view.answering === null) return did(() => actions.answer(view.call.id));
        if (letter === 'd' && view.answering === null) return did(() => actions.decline(view.call.id));
        return key === 'Escape' && did(onSilence);
      case 'dialing':
        return key === 'Escape' && did(() => actions.hangUp(view.call.id));
      case 'active':
        if (view.audio === 'elsewhere' || view.transfer) return false;
        if (letter === 'm') return did(() => actions.mute(view.call.id, !view.muted));
        if (letter === 'h') return did(() => actions.hold(view.call.id, !view.held));
        if (letter === 'k') return did(onToggleKeypad);
        if (letter === 't') return did(onTransfer);
        if (letter === 'n') return did(onNotes);
        if (/^[0-9*#]$/.test(key)) return did(() => onDigit(key));
        return key === 'Escape' && closeKeypad();
      case 'idle':
      case 'ended':
        return false;
    }
  }
}

function did(action: () => void): true {
  action();
  return true;
}
