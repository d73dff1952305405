import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { colour, say } from '../terminal/log.ts';
import { metaSimulatorPage } from '../settings/meta-simulator.ts';
import type { Mode } from '../settings/production.ts';
import type { Stack } from './stack.ts';

const LABEL_WIDTH = 20;

/** The contents of `demo.json` in the data directory. */
interface Demo {
  number: string;
  dashboard?: { email: string; password: string };
}

/** Prints the URLs to open and the number to call. */
export function banner({ baseUrl, dataDir, ports, env, mode, processes }: Stack): void {
  const demoFile = join(dataDir, 'demo.json');
  const hasDemo = env['CLARION_DEMO'] === '1' && existsSync(demoFile);
  const demo = hasDemo ? (JSON.parse(readFileSync(demoFile, 'utf8')) as Demo) : undefined;
  const row = (label: string, text: string) => say(`  ${label.padEnd(LABEL_WIDTH)} ${text}`);
  say('');
  say(`${colour.green('●')} ${colour.bold('Clarion is running.')} Press Ctrl-C to stop it.`);
  say('');
  const appUrl = env['CLARION_APP_URL'] || baseUrl;
  row('Dashboard', colour.bold(`${appUrl}/app`));
  if (demo?.dashboard) row('Sign in', `${demo.dashboard.email}   ${demo.dashboard.password}`);
  if (demo) {
    row('Agent phone', colour.bold(`${baseUrl}/demo`));
    row(
      'Number to call',
      `${colour.bold(demo.number)}   (sip:${demo.number}@${env['CLARION_PUBLIC_IP']}:${ports.sip})`,
    );
    row('Place a test call', colour.bold(`npm run call -- ${demo.number}`));
  }
  if (processes.whatsapp) row('WhatsApp customer', colour.bold(metaSimulatorPage(ports)));
  row('API', `${baseUrl}/v1`);
  if (demo) row('API key', `in ${shortest(demoFile)}`);
  else row('Create an account', 'npm run clarion -- consumer create --slug acme --name Acme');
  for (const [label, text] of modeRows(mode, env)) row(label, text);
  row('Documentation', `${baseUrl}/docs`);
  say('');
}

const isOn = (value: string | undefined) => (value === '1' ? 'on' : 'off');

function modeRows({ production, reason }: Mode, env: Record<string, string>): [string, string][] {
  const demo = `demo account ${isOn(env['CLARION_DEMO'])}`;
  const egress = `private egress ${isOn(env['CLARION_ALLOW_PRIVATE_EGRESS'])}`;
  return [
    ['Mode', `${colour.bold(production ? 'production' : 'trial')}: ${demo}, ${egress}`],
    ['', colour.dim(`because ${reason}${production ? '' : '; set CLARION_PRODUCTION=1 for production'}`)],
  ];
}

const shortest = (file: string) => {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
};
