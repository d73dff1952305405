import type { MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, type NodeContext } from '../context.ts';
import type { CallMedia } from '../route/call-media.ts';

/** Sets what every leg of the call hears, and what is recorded. An older revision is ignored. */
export async function callRoute(
  node: NodeContext,
  input: MediaCommandPayload<'call:route'>,
): Promise<object> {
  const call = node.calls.find(input.callId);
  if (!call) throw new CommandError('unknown_leg', 'this node has no leg of the call');
  setRoute(node, call, input);
  return {};
}

export function setRoute(
  node: NodeContext,
  call: CallMedia,
  { revision, route, record }: Pick<MediaCommandPayload<'call:route'>, 'revision' | 'route' | 'record'>,
): void {
  if (call.setRoute(route, revision))
    node.recorder.update(call.callId, record ?? null, () => [...call.legs.values()]);
}
