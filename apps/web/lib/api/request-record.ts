/** What is recorded of each request: its metrics and its log line. */
import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '@clarion/protocol';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import type { Logger } from 'pino';
import { metrics } from '../metrics.ts';
import type { Runtime } from './runtime.ts';

export interface RequestRecord {
  requestId: string;
  log: () => Logger;
  /** Set when the caller is authenticated. */
  consumerId: number | undefined;
  finish(status: number, outcome: { code?: ErrorCode; replayed?: boolean }): void;
}

export function startRecord(
  run: Runtime,
  endpoint: string,
  { method }: Pick<EndpointDefinition, 'method'>,
): RequestRecord {
  const startedAt = performance.now();
  const requestId = randomUUID();
  let child: Logger | undefined;
  const record: RequestRecord = {
    requestId,
    // Created on first use: most requests log nothing.
    log: () => (child ??= run.log.child({ requestId, endpoint })),
    consumerId: undefined,
    finish(status, { code, replayed = false }) {
      const durationMs = performance.now() - startedAt;
      metrics().answered({ endpoint, status, durationMs, replayed });
      const { consumerId } = record;
      const line = { status, code, consumerId, durationMs: Math.round(durationMs) };
      // Only changes are logged by default; reads and rejected requests matter to a developer who traces one request.
      const level = method !== 'GET' && status < 300 ? 'info' : 'debug';
      if (run.log.isLevelEnabled(level)) record.log()[level](line, 'request completed');
    },
  };
  return record;
}
