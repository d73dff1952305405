/**
 * The time from an agent's click on "answer" to audio in both directions, in Chromium: `npm run bench -- answer [--calls 20] [--at-once] [--whatsapp]`.
 * With `--at-once`, the agent answers in the moment in which the call begins to ring. With `--whatsapp`, customers call the agent's personal
 * WhatsApp line, which is accepted at Meta (the simulator) only when the agent answers.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureAnswers } from './answer/measure.ts';
import { answerReport, AUDIO_WITHIN_MS, complaint, WHATSAPP_AUDIO_WITHIN_MS } from './answer/report.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '20' },
    'at-once': { type: 'boolean', default: false },
    whatsapp: { type: 'boolean', default: false },
  },
});
const plan = { calls: Number(values.calls), atOnce: values['at-once'], whatsApp: values.whatsapp };
const answers = await measureAnswers(plan, (line) => process.stderr.write(`… ${line}\n`));
process.stdout.write(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ` +
    `Chromium on the same machine, load ${loadavg()[0]?.toFixed(1)}, ${answers.length} calls\n\n${answerReport(answers)}\n`,
);
const wrong = complaint(answers, plan.whatsApp ? WHATSAPP_AUDIO_WITHIN_MS : AUDIO_WITHIN_MS);
if (wrong !== null) {
  process.stderr.write(`NOT RIGHT: ${wrong}\n`);
  process.exitCode = 1;
}
