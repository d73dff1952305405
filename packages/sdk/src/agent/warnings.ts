import type { MicrophoneEvent } from './platform.ts';
import type { QualityWarning } from './quality.ts';

export type WarningName =
  | QualityWarning
  /** The call lost its network connection and is reconnecting. */
  | 'ice-connectivity-lost'
  /** The selected microphone was unplugged, and the default one is used. */
  | 'microphone-fell-back'
  /** There is no microphone left; the customer hears silence. */
  | 'microphone-missing'
  /** The browser blocks audio until the user clicks: call `agent.audio.unlock()` in a click handler. */
  | 'audio-blocked';

export interface Warning {
  name: WarningName;
  /** True when the problem starts, false when it is over. */
  active: boolean;
  message: string;
}

const messages: Record<WarningName, string> = {
  'high-rtt': 'The audio is delayed.',
  'high-jitter': 'The network is unstable.',
  'high-packet-loss': 'The network is losing audio.',
  'low-mos': 'Call quality is poor.',
  'no-audio-received': 'No audio is received from the customer.',
  'no-audio-sent': 'No audio is sent to the customer.',
  'ice-connectivity-lost': 'The audio connection of the call was lost.',
  'microphone-fell-back': 'The microphone was unplugged; another one is in use.',
  'microphone-missing': 'No microphone is available; the customer hears silence.',
  'audio-blocked': 'The browser blocks audio until the user clicks.',
};

export const warning = (name: WarningName, active: boolean): Warning => ({
  name,
  active,
  message: messages[name],
});

/** The warnings that start and end with a change of the microphone. */
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
