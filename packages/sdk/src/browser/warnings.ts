import type { MicrophoneEvent } from './microphone.ts';
import type { QualityWarning } from './quality.ts';

export type WarningName =
  | QualityWarning
  /** The network under the call is gone; it is being reconnected. */
  | 'ice-connectivity-lost'
  /** The chosen microphone is gone and the default one has taken over. */
  | 'microphone-fell-back'
  /** No microphone is left: the customer hears silence. */
  | 'microphone-missing'
  /** The browser plays nothing until the person clicks: call `agent.audio.unlock()` in a click. */
  | 'audio-blocked';

export interface Warning {
  name: WarningName;
  /** True when it begins, false when it is over. */
  active: boolean;
  message: string;
}

const sentences: Record<WarningName, string> = {
  'high-rtt': 'Voices arrive late.',
  'high-jitter': 'The network is uneven.',
  'high-packet-loss': 'Parts of the conversation are lost on the network.',
  'low-mos': 'The call sounds bad.',
  'no-audio-received': 'Nothing is heard from the customer.',
  'no-audio-sent': 'Nothing is sent to the customer.',
  'ice-connectivity-lost': 'The connection of the call was lost.',
  'microphone-fell-back': 'The microphone was unplugged; another one is in use.',
  'microphone-missing': 'There is no microphone; the customer hears silence.',
  'audio-blocked': 'The browser waits for a click before it plays sound.',
};

export const warning = (name: WarningName, active: boolean): Warning => ({
  name,
  active,
  message: sentences[name],
});

/** What a change of the microphone means as warnings begun and ended. */
export function microphoneWarnings(event: MicrophoneEvent): Warning[] {
  switch (event) {
    case 'fell-back':
      return [warning('microphone-missing', false), warning('microphone-fell-back', true)];
    case 'missing':
      return [warning('microphone-fell-back', false), warning('microphone-missing', true)];
    case 'returned':
      return [warning('microphone-fell-back', false), warning('microphone-missing', false)];
  }
}
