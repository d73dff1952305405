import type { OptionsReply } from '@clarion/protocol/carrier-requests';
import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { NodeContext } from '../context.ts';
import { optionsReplyOf, optionsRequest } from '../trunk/options.ts';
import { requestTrunk, requireSip } from '../trunk/trunk-request.ts';

/** Sends OPTIONS. A carrier that does not respond is no error of the command. */
export async function trunkPing(
  node: NodeContext,
  { target }: MediaCommandPayload<'trunk:ping'>,
): Promise<OptionsReply> {
  requireSip(node, target);
  return optionsReplyOf(await requestTrunk(node, target, optionsRequest(target)));
}
