import type { Consumer, Database } from '@clarion/db';
import { storeOf } from '@clarion/store/store';
import { pino } from 'pino';
import type { Ctx } from '../context.ts';
import { createSecretBox } from '../security/secret-box.ts';

/** The context of a request with an API key. */
export const apiContext = (db: Database, consumer: Consumer, now: Date): Ctx => ({
  consumer,
  actor: { kind: 'apiKey', id: 1 },
  surface: 'api',
  db,
  now,
  log: pino({ level: 'silent' }),
  secrets: createSecretBox([Buffer.alloc(32, 3).toString('base64')]),
  store: storeOf(null, {}),
  settings: {
    baseUrl: 'http://localhost',
    ingressDomain: null,
    allowPrivateEgress: true,
    operatorName: 'Operator',
  },
});
