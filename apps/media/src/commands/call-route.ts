import type { MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, type NodeContext } from '../context.ts';

/** Sets what every leg of the call hears, and what is recorded. An older revision is ignored. */
export async function callRoute(
  node: NodeContext,
  input: MediaCommandPayload<'call:route'>,
): Promise<object> {
  const call = node.calls.find(input.callId);
  if (!call) throw new CommandError('unknown_leg', 'this node has no leg of the call');
  if (call.setRoute(input.route, input.revision)) {
    node.recorder.update(input.callId, input.record ?? null, () => [...call.legs.values()]);
  }
  return {};
}
