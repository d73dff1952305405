import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { metrics, serveMetrics } from './metrics.ts';

test('the metrics are requests by endpoint and status, durations, rate-limited requests and replays', async () => {
  const answered = (status: number, replayed = false) =>
    metrics().answered({ endpoint: 'createCall', status, durationMs: 12, replayed });
  for (const status of [201, 201, 404, 429, 500]) answered(status);
  answered(201, true);
  const server = serveMetrics({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(error.message) });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const lines = (await response.text()).split('\n');
    for (const line of [
      'clarion_api_requests_total{endpoint="createCall",status="2xx"} 3',
      'clarion_api_requests_total{endpoint="createCall",status="4xx"} 2',
      'clarion_api_requests_total{endpoint="createCall",status="5xx"} 1',
      'clarion_api_request_duration_seconds_bucket{le="0.01",endpoint="createCall"} 0',
      'clarion_api_request_duration_seconds_bucket{le="0.025",endpoint="createCall"} 6',
      'clarion_api_rate_limited_total 1',
      'clarion_api_idempotent_replays_total 1',
    ]) {
      expect(lines).toContain(line);
    }
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  } finally {
    server.close();
  }
});
