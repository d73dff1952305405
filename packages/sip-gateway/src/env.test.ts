import { describe, expect, it } from 'vitest';
import { readEnv } from './env.ts';

describe('readEnv', () => {
  it('needs a secret and has defaults for the rest', () => {
    expect(() => readEnv({})).toThrow('CLARION_SIP_SECRET');
    expect(readEnv({ CLARION_SIP_SECRET: 's' })).toEqual({
      options: { secret: 's', bind: '0.0.0.0', sipPort: 5060, controlPort: 9022 },
      logLevel: 'info',
    });
  });

  it('names the variable that is wrong', () => {
    expect(() => readEnv({ CLARION_SIP_SECRET: 's', CLARION_SIP_PORT: 'x' })).toThrow('CLARION_SIP_PORT');
  });
});
