import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStoreSettings } from '@clarion/store/settings';
import { createStore } from '@clarion/store/store';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Recorder } from './recorder.ts';
import { SpoolFolder } from './spool-folder.ts';

let dataDir: string;
let umask: number;
beforeEach(async () => {
  umask = process.umask(0o022);
  dataDir = await mkdtemp(join(tmpdir(), 'clarion-spool-'));
});
afterEach(async () => {
  process.umask(umask);
  await rm(dataDir, { recursive: true });
});

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

test('only the user that media runs as can read the files of a recording in progress', async () => {
  const root = join(dataDir, 'spool');
  const folder = await SpoolFolder.make(root, {
    callId: 7,
    legId: 'customer',
    storageKey: 'tenants/1/recordings/a',
    startedAt: '2027-01-01T00:00:00.000Z',
  });
  expect([await modeOf(root), await modeOf(folder.path)]).toEqual(['700', '700']);
  for (const name of await readdir(folder.path)) {
    expect([name, await modeOf(join(folder.path, name))]).toEqual([name, '600']);
  }
});

test('a spool folder that other users can read is made private when media starts', async () => {
  const root = join(dataDir, 'spool');
  await mkdir(root);
  await chmod(root, 0o755);
  const recorder = new Recorder({
    dataDir,
    store: createStore(readStoreSettings({ CLARION_DATA_DIR: dataDir }), null),
    log: pino({ level: 'silent' }),
    report: () => undefined,
  });
  expect(await modeOf(root)).toBe('700');
  await recorder.close();
});
