/** Requests to carriers through any media node that is connected to its SIP server. */
import { TRUNK_COMMAND_TIMEOUT_MS } from '@clarion/protocol/media';
import type { MediaCommandPayload, MediaReplies, TrunkCommand } from '@clarion/protocol/media';
import type { MediaNodes } from '../media/nodes.ts';

export interface Requested<C extends TrunkCommand> {
  reply: MediaReplies[C];
  mediaNodeId: string;
}

/**
 * The preferred node first, then the others. Null: none is connected to its SIP server.
 *
 * @param preferred through which the trunk is registered: its address is our contact
 */
export async function requestThroughMedia<C extends TrunkCommand>(
  nodes: MediaNodes,
  command: C,
  payload: MediaCommandPayload<C>,
  preferred: string | null = null,
): Promise<Requested<C> | null> {
  const others = nodes.ids.filter((id) => id !== preferred);
  const order = preferred !== null && nodes.isConnected(preferred) ? [preferred, ...others] : others;
  for (const mediaNodeId of order) {
    const result = await nodes.send(mediaNodeId, command, payload, TRUNK_COMMAND_TIMEOUT_MS);
    if (result.kind === 'ok') return { reply: result.reply, mediaNodeId };
  }
  return null;
}
