import { createCall } from '@clarion/core/call/create-call';
import { demo } from '@clarion/core/demo-account';
import { fieldError } from '@clarion/protocol/v1/fields/field-error';
import { parseJson, readBody } from '#lib/api/body.ts';
import { answerDemo, callBody } from '#lib/demo.ts';

export const dynamic = 'force-dynamic';

const MAX_BODY_BYTES = 16 * 1024;

export const POST = (request: Request) =>
  answerDemo(request, async (ctx) => {
    const body = parseJson(await readBody(request, MAX_BODY_BYTES));
    const parsed = callBody.safeParse(body, { reportInput: true });
    if (!parsed.success) throw fieldError(parsed.error);
    const { agent_ref: agentRef, channel_ref: channelRef, to } = parsed.data;
    const { callId } = await createCall(ctx, demo.tenantRef, {
      channelRef,
      agentRef,
      customer: { address: to, addressType: null, name: null },
      externalRef: null,
      consumerMetadata: null,
    });
    return { callId };
  });
