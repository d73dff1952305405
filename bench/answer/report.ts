/** The output of the benchmark: a table in milliseconds after the click. */
import { quantile } from '../calls/report.ts';
import type { Answer } from './measure.ts';

/** The longest acceptable time from the click to audio in both directions, on loopback. */
export const AUDIO_WITHIN_MS = 300;
/** The same for a WhatsApp call, which Meta must confirm first. */
export const WHATSAPP_AUDIO_WITHIN_MS = 500;

const STEPS: Record<keyof Answer, string> = {
  claim: 'the SDK has sent `call:accept`',
  sdpAnswer: 'the SDK has the SDP answer',
  connected: 'ICE and DTLS are connected',
  answered: 'the caller has the 200, or the call is accepted at Meta',
  agentHears: 'the agent hears the caller',
  callerHears: 'the caller hears the agent',
};

export function answerReport(answers: Answer[]): string {
  const rows = Object.entries(STEPS).map(([step, title]) => {
    const values = answers.map((answer) => answer[step as keyof Answer]);
    const figures = [0.5, 0.9, 1].map((share) => quantile(values, share).toFixed(1));
    return `| ${title} | ${figures.join(' | ')} |`;
  });
  return ['| ms after the click | median | p90 | longest |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The requirement that was not met; null if it was. */
export function complaint(answers: Answer[], withinMs: number): string | null {
  const audio = answers.map(({ agentHears, callerHears }) => Math.max(agentHears, callerHears));
  const late = audio.filter((ms) => !(ms <= withinMs)).length;
  return late === 0 ? null : `${late} of ${audio.length} calls had no audio within ${withinMs} ms`;
}
