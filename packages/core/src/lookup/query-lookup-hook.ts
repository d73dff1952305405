/**
 * Queries the consumer's lookup hook about the caller of a call that has just arrived. It changes nothing: the result returns to the engine
 * as an event. A hook that is slow, down or returns invalid JSON yields an empty result. Safe to repeat.
 */
import { lookupResponse } from '@clarion/protocol/lookup';
import type { LookupRequest, LookupResponse } from '@clarion/protocol/lookup';
import type { Database } from '@clarion/db';
import type { LookupResult } from '../call-machine/event.ts';
import { parseState } from '../call-engine/stored.ts';
import { presentCustomer } from '../call-record/present.ts';
import { LOOKUP_MS } from '../call-machine/timing.ts';
import type { Egress } from '../egress/guard.ts';
import { signedHeaders, signingSecrets } from '../event/signature.ts';
import { openedWebhookKeys } from '../event/webhook-keys.ts';
import type { SecretBox } from '../security/secret-box.ts';

const USER_AGENT = 'Clarion-Lookup/1';
/** A reply contains three short fields. A longer one is ignored. */
const MAX_REPLY_BYTES = 16 * 1024;

export interface LookupContext {
  db: Database;
  egress: Egress;
  secrets: SecretBox;
  now: () => Date;
}

export type LookedUp = LookupResponse & { result: LookupResult };

const emptyResult = (result: LookupResult): LookedUp => ({
  result,
  name: null,
  externalRef: null,
  reject: false,
});

/** Null: the call has ended or continued, or its consumer has no hook any more. */
export async function queryLookupHook(ctx: LookupContext, callId: number): Promise<LookedUp | null> {
  const at = ctx.now();
  const request = await buildQuestion(ctx, callId, at);
  if (!request) return null;
  const { url, question, keys } = request;
  const body = JSON.stringify(question);
  // The ID is the same in every repetition, so that the hook can recognise one.
  const headers = { 'user-agent': USER_AGENT, ...signedHeaders({ id: `lookup-${callId}`, body, at }, keys) };
  // The time for the database query counts too, because the caller waits for all of it.
  const timeoutMs = Math.max(1, LOOKUP_MS - (ctx.now().getTime() - at.getTime()));
  try {
    const limits = { timeoutMs, maxBodyBytes: MAX_REPLY_BYTES + 1 };
    const { status, text } = await ctx.egress.post(url, { headers, body, ...limits });
    return status >= 200 && status < 300 ? readReply(text) : emptyResult('FAILED');
  } catch (error) {
    return emptyResult(error instanceof Error && error.name === 'TimeoutError' ? 'TIMEOUT' : 'FAILED');
  }
}

/** An empty reply, or one that is not a JSON object, is an empty result. */
export function readReply(text: string): LookedUp {
  if (Buffer.byteLength(text) > MAX_REPLY_BYTES) return emptyResult('FAILED');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return emptyResult(text.trim() === '' ? 'ANSWERED' : 'FAILED');
  }
  const read = lookupResponse.safeParse(json);
  return read.success ? { result: 'ANSWERED', ...read.data } : emptyResult('FAILED');
}

async function buildQuestion({ db, secrets }: LookupContext, callId: number, now: Date) {
  const live = await db.liveCall.findUnique({
    where: { callId },
    select: {
      state: true,
      call: {
        include: {
          tenant: { select: { ref: true, consumer: true } },
        },
      },
    },
  });
  if (!live || parseState(live.state).phase !== 'arriving') return null;
  const { call } = live;
  const { consumer } = call.tenant;
  const keys = signingSecrets(consumer, now).map((sealed) => openedWebhookKeys(secrets, sealed));
  if (consumer.lookupUrl === null || keys.length === 0) return null;
  const line =
    call.channelId === null
      ? null
      : await db.channel.findUnique({ where: { id: call.channelId }, select: { address: true } });
  const { address, addressType, addressWithheld } = presentCustomer(call);
  const question: LookupRequest = {
    tenant_ref: call.tenant.ref,
    caller: { address, address_type: addressType, withheld: addressWithheld },
    channel_ref: call.channelRef,
    called: line?.address ?? '',
    call_id: callId,
  };
  return { url: consumer.lookupUrl, question, keys };
}
