import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnv } from './env.ts';

describe('readEnv', () => {
  it('requires a secret and has defaults for the rest', () => {
    expect(() => readEnv({})).toThrow('CLARION_SIP_SECRET');
    expect(readEnv({ CLARION_SIP_SECRET: 's' })).toEqual({
      options: { secret: 's', bind: '0.0.0.0', sipPort: 5060, controlHost: '127.0.0.1', controlPort: 9022 },
      logLevel: 'info',
    });
  });

  it('opens the control port on the internal address only, wherever SIP is bound', () => {
    const env = { CLARION_SIP_SECRET: 's', CLARION_BIND: '192.0.2.1' };
    expect(readEnv(env).options).toMatchObject({ bind: '192.0.2.1', controlHost: '127.0.0.1' });
    for (const [given, controlHost] of [
      ['', '127.0.0.1'],
      ['10.0.0.5', '10.0.0.5'],
    ] as const) {
      expect(readEnv({ ...env, CLARION_INTERNAL_BIND: given }).options.controlHost).toBe(controlHost);
    }
  });

  it('names the invalid variable', () => {
    expect(() => readEnv({ CLARION_SIP_SECRET: 's', CLARION_SIP_PORT: 'x' })).toThrow('CLARION_SIP_PORT');
  });

  it('enables TLS if there is a certificate, and generates one only in trial mode', () => {
    const dir = mkdtempSync(join(tmpdir(), 'clarion-env-'));
    const env = { CLARION_SIP_SECRET: 's', CLARION_DATA_DIR: dir, CLARION_SIP_TLS_PORT: '5999' };
    const own = join(dir, 'sip-tls', 'cert.pem');
    try {
      expect(readEnv({ ...env, CLARION_PRODUCTION: '1' }).options.tls).toBeUndefined();
      expect(readEnv(env).options.tls).toBeUndefined();
      expect(existsSync(own)).toBe(false);
      const { tls } = readEnv({ ...env, CLARION_PRODUCTION: '0' }).options;
      expect(tls).toMatchObject({ port: 5999, cert: readFileSync(own, 'utf8') });
      const files = { CLARION_SIP_TLS_CERT: own, CLARION_SIP_TLS_KEY: join(dir, 'sip-tls', 'key.pem') };
      expect(readEnv({ ...env, ...files, CLARION_PRODUCTION: '1' }).options.tls).toEqual(tls);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
