/**
 * The Prometheus metrics of the web process: requests of /v1 by endpoint, and process metrics. Served on a separate port
 * (CLARION_WEB_METRICS_PORT), never on the API's.
 */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { LOOP_SAMPLE_MS } from '@clarion/protocol/process-metrics';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** In seconds, from a response out of memory to the slowest requests. */
const DURATION_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface AnsweredRequest {
  endpoint: string;
  status: number;
  durationMs: number;
  replayed: boolean;
}

export interface Metrics {
  registry: Registry;
  answered(request: AnsweredRequest): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  const registers = [registry];
  const requests = new Counter({
    name: 'clarion_api_requests_total',
    help: 'Completed /v1 requests by endpoint and status class.',
    labelNames: ['endpoint', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'clarion_api_request_duration_seconds',
    help: 'Duration of /v1 requests by endpoint.',
    labelNames: ['endpoint'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const limited = new Counter({
    name: 'clarion_api_rate_limited_total',
    help: '/v1 requests rejected with 429.',
    registers,
  });
  const replayed = new Counter({
    name: 'clarion_api_idempotent_replays_total',
    help: 'Responses replayed for an Idempotency-Key.',
    registers,
  });
  // Looked up once per series rather than once per request.
  const seriesOf = (endpoint: string, status: string) => ({
    requests: requests.labels({ endpoint, status }),
    durations: durations.labels({ endpoint }),
  });
  const known: Record<string, ReturnType<typeof seriesOf>> = {};
  return {
    registry,
    answered(request) {
      const { endpoint, status } = request;
      const name = `${endpoint} ${Math.floor(status / 100)}xx`;
      const series = (known[name] ??= seriesOf(endpoint, `${Math.floor(status / 100)}xx`));
      series.requests.inc();
      series.durations.observe(request.durationMs / 1000);
      if (status === 429) limited.inc();
      if (request.replayed) replayed.inc();
    },
  };
}

declare global {
  /** Route bundles may each contain a copy of this module, but the process has one set of metrics. */
  var clarionWebMetrics: Metrics | undefined;
}

export const metrics = (): Metrics => (globalThis.clarionWebMetrics ??= createMetrics());

/** Serves /metrics. If the port is in use there are no metrics, but the API runs. */
export function serveMetrics(options: {
  host: string;
  port: number;
  onError: (error: Error) => void;
}): Server {
  const server = createServer((request, response) => {
    const { registry } = metrics();
    if (request.url !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found');
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.destroy(),
    );
  });
  server.on('error', options.onError);
  server.listen(options.port, options.host);
  server.unref();
  return server;
}
