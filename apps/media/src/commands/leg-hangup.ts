import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { NodeContext } from '../context.ts';

/** Ends a leg in any state. Succeeds if the leg no longer exists. */
export async function legHangup(
  node: NodeContext,
  input: MediaCommandPayload<'leg:hangup'>,
): Promise<object> {
  const leg = node.calls.leg(input.callId, input.legId);
  if (leg) node.calls.hangup(leg, input.status === undefined ? {} : { status: input.status });
  return {};
}
