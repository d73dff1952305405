/** A process full of devices: whatever call it is told of they accept at once; it says which of them have it. */
import { createDatabase } from '@clarion/db';
import { accept } from '@clarion/core/call/engine/__fixtures__/ring-all-race';
import type { Accept } from '@clarion/core/call/engine/__fixtures__/ring-all-race';

/** One connection a device: they are not to queue up before the database. */
const CONNECTIONS = 18;

const [, , url = ''] = process.argv;
const db = createDatabase(url, { connections: CONNECTIONS });

process.on('message', (devices: Accept[]) => {
  void Promise.all(devices.map((device) => accept(db, device))).then(
    (has) => process.send?.(devices.filter((_, index) => has[index])),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
