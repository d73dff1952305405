/** What the web process does once when it starts, before its first request. */
import { readEnv } from './env.ts';
import { notePeers } from '#lib/api/client-address.ts';
import { mendPaths } from '#lib/api/readable-path.ts';
import { guardUpgrades } from '#lib/security/upgrades.ts';
import { serveMetrics } from '#lib/metrics.ts';

export function begin(): void {
  notePeers();
  mendPaths();
  guardUpgrades();
  const { CLARION_INTERNAL_BIND: host, CLARION_WEB_METRICS_PORT: port } = readEnv();
  serveMetrics({
    host,
    port,
    onError: ({ message }) => process.stderr.write(`there are no metrics of the web process: ${message}\n`),
  });
}
