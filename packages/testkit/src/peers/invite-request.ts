import { randomUUID } from 'node:crypto';
import type { InviteRequest } from '@clarion/protocol/media';

/** A media node's request for an INVITE from 192.0.2.5, with the given fields replaced. */
export const inviteRequest = (
  change: Partial<InviteRequest> & Pick<InviteRequest, 'requestUser'>,
): InviteRequest => ({
  inviteId: randomUUID(),
  mediaNodeId: 'media',
  legId: randomUUID(),
  source: { address: '192.0.2.5', port: 5060, transport: 'UDP' },
  requestHost: '192.0.2.200',
  toUser: change.requestUser,
  withheld: false,
  fromUser: '447700900123',
  fromName: null,
  assertedUser: null,
  divertedUser: null,
  sipCallId: randomUUID(),
  ...change,
});
