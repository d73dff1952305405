import { inRoot } from '../paths.ts';

/** Any existing file keeps the install steps of mediasoup and Prisma from downloading binaries. scripts/install.mjs does the same. */
export const NO_DOWNLOADS = {
  MEDIASOUP_WORKER_BIN: process.execPath, // mediasoup-worker.ts provides the worker
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, // `generate` requires it and does not run it
};

/** The environment of build tools and checks: the installed programs first in PATH, telemetry off. */
export function toolEnv(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${inRoot('node_modules/.bin')}:${process.env['PATH']}`,
    NEXT_TELEMETRY_DISABLED: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
    CHECKPOINT_DISABLE: '1',
    ...more,
  };
}
