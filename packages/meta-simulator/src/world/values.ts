/** The `value` objects of webhook events. Pure. */
import { GraphError } from '../protocol/errors.ts';
import type { Permission } from '../protocol/permissions.ts';
import type { Call } from './call.ts';
import type { BusinessNumber, Customer } from './people.ts';

const seconds = (ms: number): string => String(Math.floor(ms / 1000));

/** Customers who hide their number are known by their user ID only. */
const phoneOf = (customer: Customer): string | undefined =>
  customer.hidesNumber ? undefined : customer.waId;

const base = (number: BusinessNumber): object => ({
  messaging_product: 'whatsapp',
  metadata: {
    display_phone_number: number.displayPhoneNumber,
    phone_number_id: number.phoneNumberId,
  },
});

const contact = (customer: Customer): object => ({
  profile: { name: customer.name, ...(customer.username === null ? {} : { username: customer.username }) },
  wa_id: phoneOf(customer),
  user_id: customer.userId,
});

function parties({ direction, number, customer }: Call): object {
  return direction === 'USER_INITIATED'
    ? { from: phoneOf(customer), from_user_id: customer.userId, to: number.displayPhoneNumber }
    : { from: number.displayPhoneNumber, to: phoneOf(customer), to_user_id: customer.userId };
}

const opaque = ({ opaqueData }: Call): object =>
  opaqueData === null ? {} : { biz_opaque_callback_data: opaqueData };

export function connectValue(call: Call, sdp: string, now: number): object {
  const isInbound = call.direction === 'USER_INITIATED';
  return {
    ...base(call.number),
    contacts: [contact(call.customer)],
    calls: [
      {
        id: call.id,
        ...parties(call),
        event: 'connect',
        direction: call.direction,
        timestamp: seconds(now),
        session: { sdp_type: isInbound ? 'offer' : 'answer', sdp },
        // The deprecated form, which Meta still sends beside `session`.
        ...(isInbound ? {} : { connection: { webrtc: { sdp } } }),
        ...opaque(call),
      },
    ],
  };
}

export function statusValue(call: Call, status: 'RINGING' | 'ACCEPTED' | 'REJECTED', now: number): object {
  return {
    ...base(call.number),
    statuses: [
      {
        id: call.id,
        type: 'call',
        status,
        timestamp: seconds(now),
        recipient_id: phoneOf(call.customer),
        recipient_user_id: call.customer.userId,
        ...opaque(call),
      },
    ],
  };
}

export function terminateValue(call: Call, details: string, now: number): object {
  const { acceptedAt, endedAt } = call;
  const talked = acceptedAt !== null && endedAt !== null;
  return {
    ...base(call.number),
    contacts: [contact(call.customer)],
    calls: [
      {
        id: call.id,
        ...parties(call),
        event: 'terminate',
        direction: call.direction,
        timestamp: seconds(now),
        status: call.errorCode !== null || call.endedBy === 'timeout' ? 'FAILED' : 'COMPLETED',
        ...(talked
          ? {
              start_time: seconds(acceptedAt),
              end_time: seconds(endedAt),
              duration: Math.floor(endedAt / 1000) - Math.floor(acceptedAt / 1000),
            }
          : {}),
        ...opaque(call),
      },
    ],
    ...(call.errorCode === null ? {} : { errors: [GraphError.inWebhook(call.errorCode, details)] }),
  };
}

export interface PermissionReply {
  readonly response: 'accept' | 'reject';
  readonly source: 'user_action' | 'automatic';
  readonly permission: Permission;
  /** The request, or the call, that it answers; null if the customer acted in the business profile. */
  readonly contextId: string | null;
}

export function permissionReplyValue(
  number: BusinessNumber,
  customer: Customer,
  { response, source, permission, contextId }: PermissionReply,
  messageId: string,
  now: number,
): object {
  return {
    ...base(number),
    contacts: [contact(customer)],
    messages: [
      {
        from: phoneOf(customer),
        from_user_id: customer.userId,
        id: messageId,
        timestamp: seconds(now),
        type: 'interactive',
        ...(contextId === null ? {} : { context: { from: number.displayPhoneNumber, id: contextId } }),
        interactive: {
          type: 'call_permission_reply',
          call_permission_reply: {
            response,
            ...(response === 'accept' ? { is_permanent: permission.status === 'permanent' } : {}),
            ...(permission.status === 'temporary'
              ? { expiration_timestamp: Math.floor(permission.expiresAt / 1000) }
              : {}),
            response_source: source,
          },
        },
      },
    ],
  };
}
