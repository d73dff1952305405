import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { NodeContext } from '../context.ts';

/** Ends every leg of the call. */
export async function callRelease(
  node: NodeContext,
  input: MediaCommandPayload<'call:release'>,
): Promise<object> {
  node.recorder.finish(input.callId);
  const call = node.calls.find(input.callId);
  for (const leg of call?.legs.values() ?? []) {
    node.calls.hangup(leg, input.status === undefined ? {} : { status: input.status });
  }
  return {};
}
