/** Audits a rejected launch in the account whose key signed the token. Tokens with an invalid signature are not audited. */
import { isStorable, signerOf } from '../agent/signed-token.ts';
import { keysIn } from '../agent/token-keys.ts';
import { audit } from '../context.ts';
import type { Anonymous } from './as-person.ts';
import type { Device } from './open-session.ts';

/** Claims are shortened to this for the audit entry. */
const CLAIM_MAX_CHARS = 191;

export interface RefusedLaunch {
  token: string;
  /** The broken rule, as shown to the person. */
  rule: string;
  device: Device;
}

/** `mayTell` limits the number of entries, because an old link can be opened again and again. */
export async function auditRefusedLaunch(
  ctx: Anonymous,
  { token, rule, device: { address } }: RefusedLaunch,
  mayTell: (consumerId: number) => Promise<boolean>,
): Promise<void> {
  const signer = await signerOf(token, keysIn(ctx.db, ctx.secrets));
  if (!signer || !(await mayTell(signer.key.consumerId))) return;
  const { key, claims } = signer;
  const userRef = readable(claims.sub) ?? 'unknown';
  const tenantRef = readable(claims['tnt']);
  const consumer = await ctx.db.consumer.findUniqueOrThrow({ where: { id: key.consumerId } });
  const tenant =
    tenantRef === null
      ? null
      : await ctx.db.tenant.findUnique({
          where: { consumerId_ref: { consumerId: consumer.id, ref: tenantRef } },
        });
  const name = readable(claims['name']) ?? userRef;
  await audit(
    { ...ctx, consumer, actor: { kind: 'launchedUser', id: userRef, name }, surface: 'dashboard' },
    {
      action: 'session.refuse_launch',
      target: userRef,
      details: { rule, address },
      ...(tenant && { tenantId: tenant.id }),
    },
  );
}

function readable(claim: unknown): string | null {
  if (typeof claim !== 'string' || !isStorable(claim)) return null;
  return [...claim.trim()].slice(0, CLAIM_MAX_CHARS).join('') || null;
}
