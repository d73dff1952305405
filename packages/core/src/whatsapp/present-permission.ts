/** A row of the permission ledger, or none, as its resource. */
import type { WhatsAppPermission } from '@clarion/db';
import { whatsAppPermissionStatuses } from '@clarion/protocol/v1/call/whatsapp-permission';
import type { WhatsAppPermissionResource } from '@clarion/protocol/v1/call/whatsapp-permission';
import { z } from 'zod';
import { currentPermission, unknownPermission } from '../whatsapp-graph/permission.ts';
import type { PermissionState } from '../whatsapp-graph/permission.ts';

const storedStatus = z.enum(whatsAppPermissionStatuses).exclude(['EXPIRED']);

/** SENDING: a worker has begun to send the request. It is not repeated, because the customer would get it twice. */
export const requestStatuses = ['PENDING', 'SENDING', 'SENT', 'FAILED'] as const;
export const requestFailure = z.object({ providerCode: z.number().int().nullable(), message: z.string() });

export function stateOf(row: WhatsAppPermission | null): PermissionState {
  if (!row) return unknownPermission;
  const { expiresAt, unansweredCalls, requestedAt, changedAt } = row;
  return { status: storedStatus.parse(row.status), expiresAt, unansweredCalls, requestedAt, changedAt };
}

/** @param address shown if there is no row */
export function presentPermission(
  row: WhatsAppPermission | null,
  { channelRef, address }: { channelRef: string; address: string },
  now: Date,
): WhatsAppPermissionResource {
  const state = stateOf(row);
  return {
    channelRef,
    customer: {
      address: row?.customerAddress ?? address,
      addressType: 'WHATSAPP_USER',
      userId: row?.userId ?? null,
    },
    ...currentPermission(state, now),
    expiresAt: state.expiresAt?.toISOString() ?? null,
    unansweredCalls: state.unansweredCalls,
    request: row && presentRequest(row),
    changedAt: state.changedAt?.toISOString() ?? null,
  };
}

function presentRequest(row: WhatsAppPermission): WhatsAppPermissionResource['request'] {
  const { requestedAt } = row;
  const status = z.enum(requestStatuses).nullable().parse(row.requestStatus);
  if (status === null || requestedAt === null) return null;
  const failure = requestFailure.safeParse(row.requestFailure);
  return {
    status: status === 'SENDING' ? 'PENDING' : status,
    requestedAt: requestedAt.toISOString(),
    failure: status === 'FAILED' && failure.success ? failure.data : null,
  };
}
