/** Labels of the permission to call a WhatsApp customer, and of the request for it. Pure. */
import type { Tone } from '@clarion/ui';
import type { Answer } from '../request.ts';

export type Permission = Answer<'GET', '/v1/tenants/{tenantRef}/customers/whatsapp-permission'>['permission'];

export interface PermissionLabel {
  title: string;
  detail: string;
  tone: Tone;
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const moment = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const on = (at: string) => day.format(new Date(at));

export function permissionLabel({
  status,
  expiresAt,
}: Pick<Permission, 'status' | 'expiresAt'>): PermissionLabel {
  switch (status) {
    case 'UNKNOWN':
      return {
        title: 'Not known',
        detail:
          'WhatsApp has not reported whether this customer allows calls. It refuses calls that are not allowed.',
        tone: 'neutral',
      };
    case 'NONE':
      return {
        title: 'Not allowed',
        detail: 'This customer has not allowed calls from this line.',
        tone: 'warning',
      };
    case 'TEMPORARY':
      return {
        title: 'Allowed',
        detail:
          expiresAt === null
            ? 'This customer allows calls for a limited time.'
            : `This customer allows calls until ${moment.format(new Date(expiresAt))}.`,
        tone: 'positive',
      };
    case 'PERMANENT':
      return {
        title: 'Allowed',
        detail: 'This customer allows calls until they revoke the permission.',
        tone: 'positive',
      };
    case 'EXPIRED':
      return {
        title: 'Expired',
        detail:
          expiresAt === null
            ? 'This customer allowed calls for a time that has ended.'
            : `This customer allowed calls until ${on(expiresAt)}.`,
        tone: 'warning',
      };
    case 'DECLINED':
      return { title: 'Declined', detail: 'This customer declined your request.', tone: 'negative' };
    case 'REVOKED':
      return {
        title: 'Revoked',
        detail: 'This customer revoked the permission, or WhatsApp did after four unanswered calls in a row.',
        tone: 'negative',
      };
  }
}

/** WhatsApp asks the customer after two unanswered calls in a row, and revokes the permission after four. */
const UNANSWERED_WORTH_A_WARNING = 2;

/** Null: nothing to warn of. */
export const unansweredWarning = ({
  canCall,
  unansweredCalls,
}: Pick<Permission, 'canCall' | 'unansweredCalls'>): string | null =>
  canCall && unansweredCalls >= UNANSWERED_WORTH_A_WARNING
    ? `The last ${unansweredCalls} calls were not answered. WhatsApp revokes the permission after four in a row.`
    : null;

/** Set by what the customer does, and not by what WhatsApp reports when the request is sent. */
const answers: ReadonlySet<Permission['status']> = new Set(['TEMPORARY', 'PERMANENT', 'DECLINED', 'REVOKED']);

type Asked = Pick<Permission, 'status' | 'request' | 'changedAt'>;

/** Whether the request is still being sent, or sent without an answer; null: neither. */
export function awaitedRequest({ status, request, changedAt }: Asked): 'PENDING' | 'SENT' | null {
  if (request === null || request.status === 'FAILED') return null;
  const changed = changedAt !== null && Date.parse(changedAt) > Date.parse(request.requestedAt);
  return request.status === 'SENT' && changed && answers.has(status) ? null : request.status;
}

/** The latest request; null if the customer has not been asked, or if they have reacted since. */
export function requestLabel(asked: Asked): { detail: string; tone: Tone } | null {
  const { request } = asked;
  if (request === null) return null;
  const { status, requestedAt, failure } = request;
  switch (status) {
    case 'PENDING':
      return { detail: 'The request is being sent.', tone: 'neutral' };
    case 'SENT':
      if (awaitedRequest(asked) === null) return null;
      return {
        detail: `The customer was asked on ${moment.format(new Date(requestedAt))}. The answer will be shown here.`,
        tone: 'neutral',
      };
    case 'FAILED': {
      const code = failure?.providerCode ?? null;
      return {
        detail:
          `The request was not sent. ${failure?.message ?? ''}${code === null ? '' : ` Error ${code}.`}`.trim(),
        tone: 'negative',
      };
    }
  }
}

/** Asking is pointless with a permanent permission, and a request that is being sent is not repeated. */
export const mayAsk = ({ status, request }: Pick<Permission, 'status' | 'request'>): boolean =>
  status !== 'PERMANENT' && request?.status !== 'PENDING';
