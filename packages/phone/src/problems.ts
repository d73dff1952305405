/** Problems of the phone, derived from errors, warnings and permissions. Pure. */
import { ClarionError, type Warning, type WarningName } from '@clarion/sdk';
import type { PhoneProblem } from '@clarion/ui';
import { errorMessageOf } from './use-agent.ts';

export function problemOf(error: unknown): PhoneProblem {
  if (error instanceof ClarionError) {
    if (error.code === 'microphone_blocked') return { kind: 'microphone-blocked' };
    if (error.code === 'microphone_unavailable') return { kind: 'microphone-missing' };
  }
  return { kind: 'failed', message: errorMessageOf(error) };
}

const kinds: Partial<Record<WarningName, 'microphone-changed' | 'microphone-missing' | 'audio-blocked'>> = {
  'microphone-fell-back': 'microphone-changed',
  'microphone-missing': 'microphone-missing',
  'audio-blocked': 'audio-blocked',
};

/** Warnings that the agent can act on become problems. Others are shown next to the call. */
export function afterWarning(before: PhoneProblem | null, { name, active }: Warning): PhoneProblem | null {
  const kind = kinds[name];
  if (kind === undefined) return before;
  if (active) return { kind };
  return before?.kind === kind ? null : before;
}

export function afterPermission(before: PhoneProblem | null, permission: string): PhoneProblem | null {
  if (permission === 'prompt') return before ?? { kind: 'microphone-needed' };
  if (permission === 'denied') return { kind: 'microphone-blocked' };
  return before?.kind === 'microphone-needed' || before?.kind === 'microphone-blocked' ? null : before;
}

/** Most severe first: no audio, then bad audio. */
const ORDER: readonly WarningName[] = [
  'no-audio-received',
  'no-audio-sent',
  'high-packet-loss',
  'high-jitter',
  'high-rtt',
  'low-mos',
];

/** The current warnings about the audio of the call. */
export function audioWarnings(before: readonly WarningName[], { name, active }: Warning): WarningName[] {
  if (!ORDER.includes(name)) return [...before];
  return ORDER.filter((one) => (one === name ? active : before.includes(one)));
}
