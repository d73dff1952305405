/** The form values of a line: all fields of the PUT, because an omitted field is reset to its default. */
import { RequestProblem, type Input } from '#lib/dashboard/request.ts';
import type { Line } from '#lib/dashboard/edit/resources.ts';
import type { LineResources } from './use-line-resources.ts';

export interface LineDraft {
  ref: string;
  type: Line['type'];
  address: string;
  displayName: string;
  /** As text, for a select. */
  trunkId: string;
  /** Empty: none. */
  backupTrunkId: string;
  leastCostRouting: boolean;
  marginGuard: boolean;
  providerAccountId: string;
  /** Empty: the stored token is kept. */
  accessToken: string;
  inbound: 'queue' | 'owner' | 'none';
  queueRef: string;
  ownerRef: string;
  ringSeconds: number | null;
  recording: 'tenant' | 'on' | 'off';
  active: boolean;
}

/** docs/requirements.md#limits */
export const DEFAULT_RING_SECONDS = 30;
/** WhatsApp ends calls that are not answered soon. */
export const WHATSAPP_RING_MAX_SECONDS = 25;

/** How long a personal line rings its owner. */
export function ringSecondsOf({ type, ringSeconds }: Pick<LineDraft, 'type' | 'ringSeconds'>): number {
  const wanted = ringSeconds ?? DEFAULT_RING_SECONDS;
  return type === 'WHATSAPP' ? Math.min(wanted, WHATSAPP_RING_MAX_SECONDS) : wanted;
}

/** What a link to a new line already knows. Empty: not known. */
export interface Prefill {
  trunkId: string;
  address: string;
}

export function draftOf(
  line: Line | null,
  { queues, agents, trunks }: LineResources,
  { trunkId, address }: Prefill = { trunkId: '', address: '' },
): LineDraft {
  const own = line?.recordingEnabled ?? null;
  const only = trunks.length === 1 ? trunks[0] : undefined;
  return {
    ref: line?.ref ?? '',
    type: line?.type ?? 'SIP',
    address: line?.address ?? address,
    displayName: line?.displayName ?? '',
    trunkId: String(line?.sipTrunkId ?? (trunkId || (only?.id ?? ''))),
    backupTrunkId: String(line?.backupSipTrunkId ?? ''),
    leastCostRouting: line?.leastCostRouting ?? false,
    marginGuard: line?.marginGuard ?? false,
    providerAccountId: line?.providerAccountId ?? '',
    accessToken: '',
    inbound:
      line === null || line.inboundQueueId !== null ? 'queue' : line.ownerAgentId === null ? 'none' : 'owner',
    queueRef: queues.find(({ id }) => id === line?.inboundQueueId)?.ref ?? '',
    ownerRef: agents.find(({ id }) => id === line?.ownerAgentId)?.ref ?? '',
    ringSeconds: line?.ringTimeoutSeconds ?? null,
    recording: own === null ? 'tenant' : own ? 'on' : 'off',
    active: line?.status !== 'DISABLED',
  };
}

type Body = Input<'PUT', '/v1/tenants/{tenantRef}/channels/{channelRef}'>['body'];

/** @throws RequestProblem without a queue or owner: the service would make it an outbound line. */
export function bodyOf(draft: LineDraft): Body {
  if (draft.inbound === 'queue' && draft.queueRef === '') {
    throw missing('inbound_queue_ref', 'Choose a queue, or use the line for outbound calls only.');
  }
  if (draft.inbound === 'owner' && draft.ownerRef === '') {
    throw missing('owner_agent_ref', 'Choose the owner of the line.');
  }
  const sip = draft.type === 'SIP';
  const backed = sip && draft.backupTrunkId !== '';
  return {
    type: draft.type,
    address: draft.address,
    display_name: draft.displayName || null,
    sip_trunk_id: sip && draft.trunkId !== '' ? Number(draft.trunkId) : null,
    backup_sip_trunk_id: backed ? Number(draft.backupTrunkId) : null,
    least_cost_routing: backed && draft.leastCostRouting,
    margin_guard: sip && draft.marginGuard,
    provider_account_id: sip ? null : draft.providerAccountId || null,
    ...(!sip && draft.accessToken !== '' && { credentials: { access_token: draft.accessToken } }),
    inbound_queue_ref: draft.inbound === 'queue' ? draft.queueRef : null,
    owner_agent_ref: draft.inbound === 'owner' ? draft.ownerRef : null,
    ring_timeout_seconds: draft.inbound === 'owner' ? draft.ringSeconds : null,
    recording_enabled: draft.recording === 'tenant' ? null : draft.recording === 'on',
    status: draft.active ? 'ACTIVE' : 'DISABLED',
  };
}

const missing = (field: string, message: string) =>
  new RequestProblem(message, { status: 400, code: 'invalid_request', details: { field } });

const sources = { LINE: 'set on the line', TENANT: 'set by the tenant', ACCOUNT: 'set by the account' };
export const recordingLabel = ({ recording: { enabled, source } }: Pick<Line, 'recording'>): string =>
  `${enabled ? 'Yes' : 'No'}, ${sources[source]}`;
