import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const NOT_TESTS = ['**/node_modules/**', '**/.next/**', '**/dist/**', '**/generated/**'];
const DATABASE_TESTS = '**/*.db.test.ts';
/** Those of them with storms, in which a board or a delivery may wait only so long. */
const STRICT_DATABASE_TESTS = '**/*.alone.db.test.ts';
const END_TO_END_TESTS = '**/*.e2e.test.ts';
/** Those of them with bounds that they cannot keep beside another file: each has the machine to itself. */
const STRICT_END_TO_END_TESTS = '**/*.alone.e2e.test.ts';

/** They drive a browser or build a package: together they take as long as all other unit tests. */
const SLOW_UNIT_TESTS = ['packages/{ui,sdk}/test/*.test.ts', 'packages/sdk/scripts/package.test.ts'];
/** They start a whole media node, and look at what is left of it in the process. */
const MEDIA_NODE_TESTS = 'apps/media/test/*.test.ts';

const CORES = availableParallelism();
/** Many tests wait for sockets and timers. */
const WORKERS = CORES + 1;

/** A real PostgreSQL for the whole run: see packages/db/test/test-database.ts. */
const globalSetup = ['./packages/db/test/global-setup.ts'];

/** Of what is polled until it is true: long enough for a process that has just started on a busy machine. */
const POLL_TIMEOUT_MS = 10_000;

const database = {
  globalSetup,
  isolate: false, // a file takes over modules, compiled code and the OpenAPI checker from the one before it
  testTimeout: 20_000,
  hookTimeout: 60_000,
};

const endToEnd = {
  globalSetup: [...globalSetup, './packages/testkit/src/stack/run-directory.ts'],
  isolate: false, // the files of a worker share the services that one of them has started
  testTimeout: 120_000,
  hookTimeout: 180_000,
};

export default defineConfig({
  test: {
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.{ts,tsx}'],
          exclude: [...NOT_TESTS, DATABASE_TESTS, END_TO_END_TESTS, MEDIA_NODE_TESTS, ...SLOW_UNIT_TESTS],
          isolate: false, // a file takes over modules and compiled code from the one before it
          maxWorkers: WORKERS,
          testTimeout: 20_000, // of a property with many runs on a busy machine
        },
      },
      {
        extends: true,
        test: {
          name: 'unit-slow',
          include: SLOW_UNIT_TESTS,
          exclude: NOT_TESTS,
          maxWorkers: WORKERS,
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit-media',
          include: [MEDIA_NODE_TESTS],
          exclude: [...NOT_TESTS, END_TO_END_TESTS],
          maxWorkers: WORKERS,
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          ...database,
          name: 'db',
          include: [DATABASE_TESTS],
          exclude: [...NOT_TESTS, STRICT_DATABASE_TESTS],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...database,
          name: 'db-alone',
          include: [STRICT_DATABASE_TESTS],
          exclude: NOT_TESTS,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          ...endToEnd,
          name: 'e2e',
          include: [END_TO_END_TESTS],
          exclude: [...NOT_TESTS, STRICT_END_TO_END_TESTS],
          maxWorkers: CORES, // most of a call is waiting; the processes with its audio have priority over the others
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          ...endToEnd,
          name: 'e2e-alone',
          include: [STRICT_END_TO_END_TESTS],
          exclude: NOT_TESTS,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
