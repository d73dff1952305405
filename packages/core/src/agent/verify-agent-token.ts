/**
 * The agent token (docs/requirements.md#authentication): a JWT that the consumer's backend signs for one signed-in user. This module checks
 * what can be decided from the token and the signing key; connect-agent.ts checks the tenant and the agent.
 */
import { agentRoles, unauthorized } from '@clarion/protocol';
import type { AgentRole } from '@clarion/protocol';
import { DASHBOARD_AUDIENCE, nameIn, readSigned, refIn } from './signed-token.ts';
import type { FindTokenKey } from './signed-token.ts';

export interface AgentToken {
  consumerId: number;
  /** The key that signed the token. When it is revoked, sockets that connected with it are closed. */
  signingKeyId: number;
  tenantRef: string;
  agentRef: string;
  /** Null: the agent's name is set to the ref. */
  name: string | null;
  /** Null: the token has no role claim, and the agent keeps its role. */
  role: AgentRole | null;
  expiresAt: Date;
}

/** @throws ApiError unauthorized, naming the broken rule; it never reveals anything about keys */
export async function verifyAgentToken(token: string, findKey: FindTokenKey, now: Date): Promise<AgentToken> {
  const { key, payload, expiresAt } = await readSigned(token, findKey, now);
  if ([payload.aud].flat().includes(DASHBOARD_AUDIENCE)) {
    throw unauthorized('A dashboard launch token cannot be used to connect an agent.');
  }
  return {
    consumerId: key.consumerId,
    signingKeyId: key.id,
    tenantRef: refIn(payload['tnt'], 'tnt'),
    agentRef: refIn(payload.sub, 'sub'),
    name: nameIn(payload['name']),
    role: roleIn(payload['role']),
    expiresAt,
  };
}

function roleIn(claim: unknown): AgentRole | null {
  if (claim === undefined || claim === null) return null;
  const role = agentRoles.find((known) => known === claim);
  if (!role) throw unauthorized(`The token's role claim must be one of ${agentRoles.join(', ')}.`);
  return role;
}
