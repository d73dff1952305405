import { createSecretBox } from '@clarion/core/security/secret-box';
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Env } from '../../env.ts';

export function secretsOf(env: Pick<Env, 'CLARION_MASTER_KEY'>): SecretBox {
  const [first = '', ...older] = env.CLARION_MASTER_KEY.split(',');
  return createSecretBox([first, ...older]);
}
