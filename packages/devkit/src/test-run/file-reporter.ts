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
  failures: Failure[];
}

/** A failed test, or a file that failed outside its tests. */
export interface Failure {
  /** The names of its suites and its own, separated by ` > `; empty for the file itself. */
  test: string;
  /** First lines of its error. */
  message: string;
}

/** Lines of an error that are reported: enough for an assertion and the start of its difference. */
const MESSAGE_LINES = 12;

export default class FileReporter implements Reporter {
  readonly #startedAt = new Map<string, number>();

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#startedAt.set(moduleId, Date.now());
  }

  onTestModuleEnd(file: TestModule): void {
    const tests = [...file.children.allTests()];
    const states = tests.map((test) => test.result().state);
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
      failures: [
        ...file.errors().map((error) => ({ test: '', message: firstLines(error) })),
        ...tests
          .filter((test) => test.result().state === 'failed')
          .map((test) => ({
            test: test.fullName,
            message: (test.result().errors ?? []).map(firstLines).join('\n'),
          })),
      ],
    };
    const report = process.env['CLARION_TEST_REPORT'];
    if (report) appendFileSync(report, `${JSON.stringify(result)}\n`);
  }
}

/** The start of an error's message and the first place in its stack that is not a dependency. */
function firstLines({ message, stack = '' }: { message: string; stack?: string }): string {
  const place = stack.split('\n').find((line) => /^\s+at /.test(line) && !line.includes('node_modules'));
  return [...message.split('\n').slice(0, MESSAGE_LINES), ...(place ? [place.trim()] : [])].join('\n');
}
