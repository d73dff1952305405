import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { colour, say } from './log.mjs';

const LABEL_WIDTH = 20;

/** What to open and what to call, once everything answers. */
export function banner({ baseUrl, dataDir, ports, env }) {
  const demoFile = join(dataDir, 'demo.json');
  const demo = existsSync(demoFile) ? JSON.parse(readFileSync(demoFile, 'utf8')) : undefined;
  const row = (label, text) => say(`  ${label.padEnd(LABEL_WIDTH)} ${text}`);
  say('');
  say(`${colour.green('●')} ${colour.bold('Clarion is running.')} Ctrl-C stops it.`);
  say('');
  row('Agent phone', colour.bold(`${baseUrl}/demo`));
  if (demo?.number) {
    row(
      'Number to call',
      `${colour.bold(demo.number)}   (sip:${demo.number}@${env.CLARION_PUBLIC_IP}:${ports.sip})`,
    );
    row('Call it now', colour.bold(`npm run call -- ${demo.number}`));
  }
  row('API', `${baseUrl}/v1`);
  if (demo) row('API key', `in ${shortest(demoFile)}`);
  row('Read on', 'README.md, ARCHITECTURE.md');
  say('');
}

const shortest = (file) => {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
};
