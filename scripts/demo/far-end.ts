/** The greeting and echo at the far end of the demo trunk, for `npm run call` and the demo carrier. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { decodeWav } from '@clarion/test-phone/audio/wav';

/** How long a registration with the demo carrier lasts, and how often it is refreshed. */
export const REGISTERED_SECONDS = 30;
export const REGISTER_EVERY_MS = 10_000;

const greeting = decodeWav(
  readFileSync(join(import.meta.dirname, '../../packages/testkit/assets/greeting.wav')),
).samples;

export function greetAndEcho(call: SipCall, say: (line: string) => void): void {
  call.audio.play(greeting, () => {
    if (call.state === 'ended') return;
    say('greeting played; echoing what the agent says');
    call.audio.echo();
  });
}

/** The duration of the conversation in whole seconds. */
export function talked({ times }: SipCall): number {
  return times.answered && times.ended ? Math.round((times.ended - times.answered) / 1000) : 0;
}

export function heard({ audio }: SipCall): string {
  return `sent ${audio.sent} and heard ${audio.heard.length} packets of 20 ms`;
}
