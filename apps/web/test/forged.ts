/** Tries forged API keys and agent tokens on the real checks with a real database. Nothing of it may get in. */
import { connectAgent } from '@clarion/core/agent/connect-agent';
import { createConsumer } from '@clarion/core/consumer/create-consumer';
import { createSigningKey } from '@clarion/core/consumer/keys';
import { forConsumer } from '@clarion/core/consumer/operator';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { ApiError } from '@clarion/protocol';
import { forgedApiKeys, forgedTokens, sameToken } from '@clarion/testkit/attacks/forgeries';
import type { Known } from '@clarion/testkit/attacks/forgeries';
import { signToken } from '@clarion/testkit/stack/token';
import fc from 'fast-check';
import type { Runtime } from '#lib/api/runtime.ts';

const KID = 'app-1';
/** Longer than any run takes. */
const TOKEN_SECONDS = 3600;

async function account(operator: OperatorCtx, slug: string): Promise<Known> {
  const { apiKey, consumer } = await createConsumer(operator, {
    slug,
    name: slug,
    webhookUrl: null,
    lookupUrl: null,
  });
  const row = await operator.db.consumer.findUniqueOrThrow({ where: { id: consumer.id } });
  const own = forConsumer(operator, row);
  const { secret } = await createSigningKey(own, { kid: KID, name: null });
  const signingKey = { kid: KID, secret };
  await operator.db.tenant.create({ data: { consumerId: row.id, ref: 'shop', name: 'Shop' } });
  const exp = Math.floor(operator.now.getTime() / 1000) + TOKEN_SECONDS;
  const claims = { exp, iss: slug, tnt: 'shop', sub: 'ada', name: 'Ada', role: 'AGENT' };
  return { apiKey, slug, signingKey, token: signToken(signingKey, claims), claims };
}

/** @throws when anything but a refusal comes back: an acceptance, or a failure that is none */
async function refused(work: Promise<unknown>, sent: string): Promise<void> {
  const outcome: unknown = await work.then(
    () => 'it was accepted',
    (error: unknown) => error,
  );
  if (outcome instanceof ApiError && outcome.code === 'unauthorized') return;
  throw new Error(`not refused: ${sent.slice(0, 500)}`, { cause: outcome });
}

/**
 * @param tries of API keys and tokens together
 * @throws at the first that is not refused, with the seed to repeat it
 */
export async function tryForgeries(
  run: Runtime,
  tries: number,
  seed = Date.now() % 1_000_000,
): Promise<void> {
  const actor = { kind: 'operator', id: 'test' } as const;
  const { db, log, secrets, store, settings } = run;
  const operator: OperatorCtx = { actor, surface: 'cli', db, log, secrets, store, settings, now: run.now() };
  const victim = await account(operator, 'victim');
  const attacker = await account(operator, 'attacker');
  await run.authenticator.authenticate(`Bearer ${victim.apiKey}`);
  await connectAgent(run, victim.token, new Date());
  const numRuns = Math.ceil(tries / 2);
  await fc.assert(
    fc.asyncProperty(forgedApiKeys(victim, attacker), async (header) => {
      // The scheme counts in any case, and so do several spaces after it: that is the key itself.
      if (/^bearer +/i.test(header) && header.replace(/^bearer +/i, '') === victim.apiKey) return;
      await refused(run.authenticator.authenticate(header), header);
    }),
    { numRuns, seed },
  );
  await fc.assert(
    fc.asyncProperty(forgedTokens(victim, attacker), async (token) => {
      if (sameToken(token, victim.token)) return;
      await refused(connectAgent(run, token, new Date()), token);
    }),
    { numRuns, seed },
  );
}
