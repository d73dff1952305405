/** Runs once when the web process starts, before its first request. */
import { readEnv } from './env.ts';
import { serveMetrics } from '#lib/metrics.ts';

export function begin(): void {
  const { CLARION_INTERNAL_BIND: host, CLARION_WEB_METRICS_PORT: port } = readEnv();
  serveMetrics({
    host,
    port,
    onError: ({ message }) => process.stderr.write(`there are no metrics of the web process: ${message}\n`),
  });
}
