/** A process with many devices. Each accepts every call offered to it immediately, and reports whether it got the call. */
import { createDatabase } from '@clarion/db';
import { accept } from '@clarion/core/call-engine/__fixtures__/ring-all-race';
import type { Accept } from '@clarion/core/call-engine/__fixtures__/ring-all-race';

/** One connection per device, so that they do not wait for each other. */
const CONNECTIONS = 18;

const ATTEMPTS = 20;

const [, , url = ''] = process.argv;
const db = createDatabase(url, { connections: CONNECTIONS });

/** If a timeout expires under load, nothing has changed, so the device repeats its message. */
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
