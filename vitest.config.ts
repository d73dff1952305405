import { defineConfig } from 'vitest/config';

const NOT_TESTS = ['**/node_modules/**', '**/.next/**', '**/dist/**', '**/generated/**'];
const DATABASE_TESTS = '**/*.db.test.ts';
const END_TO_END_TESTS = '**/*.e2e.test.ts';

/** A real PostgreSQL for the whole run: see packages/db/src/testing.ts. */
const globalSetup = ['./packages/db/src/testing-global.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.{ts,tsx}'],
          exclude: [...NOT_TESTS, DATABASE_TESTS, END_TO_END_TESTS],
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: [DATABASE_TESTS],
          exclude: NOT_TESTS,
          globalSetup,
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: [END_TO_END_TESTS],
          exclude: NOT_TESTS,
          globalSetup,
          fileParallelism: false, // each file has the machine, its ports and its sound to itself
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
