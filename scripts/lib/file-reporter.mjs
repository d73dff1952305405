/**
 * A reporter for vitest: a line of JSON for each test file as it ends, in the file that CLARION_TEST_REPORT names. Vitest's own JSON
 * report leaves out what a file takes before its first test and after its last one, and is lost when the run is killed.
 */
import { appendFileSync } from 'node:fs';

/**
 * @typedef {object} FileResult
 * @property {string} name absolute path
 * @property {number} from ms since the epoch
 * @property {number} to
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

export default class FileReporter {
  #startedAt = new Map();

  onTestModuleQueued({ moduleId }) {
    this.#startedAt.set(moduleId, Date.now());
  }

  onTestModuleEnd(file) {
    const states = [...file.children.allTests()].map((test) => test.result().state);
    const count = (state) => states.filter((each) => each === state).length;
    const to = Date.now();
    /** @type {FileResult} */
    const result = {
      name: file.moduleId,
      from: this.#startedAt.get(file.moduleId) ?? to,
      to,
      passed: count('passed'),
      // A file that does not load fails without a failed test.
      failed: count('failed') || (file.state() === 'failed' ? 1 : 0),
      skipped: count('skipped'),
    };
    appendFileSync(process.env.CLARION_TEST_REPORT, `${JSON.stringify(result)}\n`);
  }
}
