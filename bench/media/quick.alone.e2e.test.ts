import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const LIMIT_MS = 110_000;

test(
  'the short media benchmark loses no packets and produces a figure for every comparison',
  async () => {
    const bench = join(import.meta.dirname, '../media.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [bench, '--quick'], { timeout: LIMIT_MS });
    const { rows } = JSON.parse(stdout.slice(stdout.indexOf('\n{'))) as {
      rows: { name: string; ours: unknown[]; lost: { ours: number } }[];
    };
    expect(rows.length).toBeGreaterThan(0);
    for (const { name, ours, lost } of rows) {
      expect(ours.length, name).toBeGreaterThan(0);
      for (const figure of ours) expect(figure, name).toEqual(expect.any(Number));
      expect(lost.ours, name).toBe(0);
    }
  },
  LIMIT_MS,
);
