/**
 * A reporter for vitest: appends a line of JSON for each finished test file to the file in CLARION_TEST_REPORT. Vitest's own JSON
 * report omits the time before a file's first test and after its last one, and is lost if the run is killed.
 */
import { appendFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export interface FileResult {
  /** Absolute path. */
  name: string;
  /** In ms since the epoch, as is `to`. */
  from: number;
  to: number;
  passed: number;
  failed: number;
  skipped: number;
}

export default class FileReporter implements Reporter {
  readonly #startedAt = new Map<string, number>();

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#startedAt.set(moduleId, Date.now());
  }

  onTestModuleEnd(file: TestModule): void {
    const states = [...file.children.allTests()].map((test) => test.result().state);
    const count = (state: string) => states.filter((each) => each === state).length;
    const to = Date.now();
    const result: FileResult = {
      name: file.moduleId,
      from: this.#startedAt.get(file.moduleId) ?? to,
      to,
      passed: count('passed'),
      // A file that fails to load has no failed test.
      failed: count('failed') || (file.state() === 'failed' ? 1 : 0),
      skipped: count('skipped'),
    };
    const report = process.env['CLARION_TEST_REPORT'];
    if (report) appendFileSync(report, `${JSON.stringify(result)}\n`);
  }
}
