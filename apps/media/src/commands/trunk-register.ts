import type { Registration, RegisterReply } from '@clarion/protocol/carrier-requests';
import type { MediaCommandPayload, TrunkTarget } from '@clarion/protocol/media';
import type { NodeContext } from '../context.ts';
import { registerReplyOf, registerRequest } from '../trunk/register.ts';
import { requestTrunk, requireSip } from '../trunk/trunk-request.ts';

export const trunkRegister = (
  node: NodeContext,
  { target, registration, expiresSeconds }: MediaCommandPayload<'trunk:register'>,
): Promise<RegisterReply> => register(node, target, registration, expiresSeconds);

export const trunkUnregister = (
  node: NodeContext,
  { target, registration }: MediaCommandPayload<'trunk:unregister'>,
): Promise<RegisterReply> => register(node, target, registration, 0);

async function register(
  node: NodeContext,
  target: TrunkTarget,
  registration: Registration,
  expiresSeconds: number,
): Promise<RegisterReply> {
  requireSip(node, target);
  const request = registerRequest(target, registration, expiresSeconds);
  return registerReplyOf(await requestTrunk(node, target, request));
}
