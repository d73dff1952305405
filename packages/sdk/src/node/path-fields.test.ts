import { expect, test } from 'vitest';
import { createClient } from './index.ts';

/** Nothing listens there, so a request that is actually sent fails with a different error. */
const client = createClient({ url: 'http://127.0.0.1:9', apiKey: 'ck_acme_secret' });

test.each(['.', '..', ''])(
  'a ref %j, which would lead to another path, is refused before it is sent',
  (agentRef) => {
    expect(() => client.deleteAgent({ path: { tenantRef: 'shop', agentRef } })).toThrow(TypeError);
  },
);
