/** The Management API's context in a test's world: for its verbs, which another process runs. */
import type { Ctx } from '@clarion/core/context';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createStore } from '@clarion/store/store';
import { pino } from 'pino';
import { MASTER_KEY } from './world.ts';
import type { World } from './world.ts';

export function apiOf(world: World): Ctx {
  const secrets = createSecretBox([MASTER_KEY]);
  const baseUrl = 'http://localhost';
  return {
    consumer: world.consumer,
    actor: { kind: 'apiKey', id: 1 },
    surface: 'api',
    db: world.db,
    now: new Date(),
    log: pino({ level: 'silent' }),
    secrets,
    store: createStore({ provider: null, dataDir: '', s3: null }, { secrets, baseUrl }),
    settings: { baseUrl, ingressDomain: null, allowPrivateEgress: true },
  };
}
