/** The Management API's context for its verbs, which another process runs. */
import type { Ctx } from '@clarion/core/context';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createStore } from '@clarion/store/store';
import { pino } from 'pino';
import { MASTER_KEY } from './fixture.ts';
import type { RealtimeFixture } from './fixture.ts';

export function apiOf(fixture: RealtimeFixture): Ctx {
  const secrets = createSecretBox([MASTER_KEY]);
  const baseUrl = 'http://localhost';
  return {
    consumer: fixture.consumer,
    actor: { kind: 'apiKey', id: 1 },
    surface: 'api',
    db: fixture.db,
    now: new Date(),
    log: pino({ level: 'silent' }),
    secrets,
    store: createStore({ provider: null, dataDir: '', s3: null }, { secrets, baseUrl }),
    settings: { baseUrl, ingressDomain: null, allowPrivateEgress: true, operatorName: 'Operator' },
  };
}
