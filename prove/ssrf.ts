/**
 * Some 580 hostile webhook and lookup URLs, saved and called: no byte reaches our own network, and similar public addresses are accepted.
 */
import { applyMigrations } from '@clarion/db/migrate';
import { attack, attackComplaints } from '@clarion/testkit/attacks/ssrf-attack';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';

const say = (line: string) => process.stdout.write(`${line}\n`);
const server = await startTemporaryPostgres();
try {
  await applyMigrations(server.url);
  const result = await attack(server.url);
  say(`${result.urls} hostile URLs, each saved as webhook and as lookup, each called as both`);
  say(`${result.touched} connections reached a listener of ours`);
  const wrong = attackComplaints(result);
  say(wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await server.stop();
}
