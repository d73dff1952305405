/** A process full of devices: whatever call it is told of they accept at once; it says which of them have it. */
import { createDatabase } from '@clarion/db';
import { accept } from '@clarion/core/call-engine/__fixtures__/ring-all-race';
import type { Accept } from '@clarion/core/call-engine/__fixtures__/ring-all-race';

/** One connection a device: they are not to queue up before the database. */
const CONNECTIONS = 18;

const ATTEMPTS = 20;

const [, , url = ''] = process.argv;
const db = createDatabase(url, { connections: CONNECTIONS });

/** A machine that is busy beyond the time-outs has done nothing: the device says it again. */
async function insist(device: Accept): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await accept(db, device);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

process.on('message', (devices: Accept[]) => {
  void Promise.all(devices.map((device) => insist(device))).then(
    (has) => process.send?.(devices.filter((_, index) => has[index])),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
