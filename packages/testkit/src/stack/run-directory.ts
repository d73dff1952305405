/** vitest's globalSetup of the end-to-end projects: a directory for what the services that files share write. Removed after the run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    runDirectory: string;
  }
}

/** The services end with the worker that started them, and may still write a last line. */
const REMOVE_RETRIES = 5;

export default function setup(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'clarion-run-'));
  project.provide('runDirectory', directory);
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
}
