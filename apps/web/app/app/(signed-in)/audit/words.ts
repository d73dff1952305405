import type { AuditNoun } from '@clarion/core/audit-actions';

/** What the audit log's words are called on the page. */
const NOUNS: Record<AuditNoun, string> = {
  agent: 'Agents',
  api_key: 'API keys',
  audio_asset: 'Audio',
  call: 'Calls',
  channel: 'Lines',
  consumer: 'Account',
  customer: 'Customers',
  embed_settings: 'Embedding',
  event: 'Webhook events',
  ivr_flow: 'IVR flows',
  plan: 'Plan',
  push_credentials: 'Push credentials',
  push_token: 'Push tokens',
  queue: 'Queues',
  recording: 'Recordings',
  recording_policy: 'Recording policy',
  session: 'Signing in and out',
  signing_key: 'Signing keys',
  staff: 'People',
  tenant: 'Tenants',
  trunk: 'Trunks',
  webhook: 'Webhook',
};

const ACTIONS: Record<string, string> = {
  'agent.put_do_not_disturb': 'changed do not disturb of agent',
  'agent.test_token': 'made a test token for agent',
  'call.monitor': 'listened to call',
  'customer.erase': 'erased a customer in tenant',
  'event.redeliver': 'sent again',
  'queue.put_members': 'changed who answers queue',
  'recording.expire': 'let a recording expire of call',
  'session.end': 'ended session',
  'session.launch': 'was launched from their product as',
  'session.refuse': 'was refused at signing in as',
  'session.refuse_launch': 'was refused at the launch from their product as',
  'session.sign_in': 'signed in as',
  'session.sign_out': 'signed out of session',
  'staff.accept_invitation': 'accepted the invitation to',
  'staff.ask_reset': 'asked for a new password for',
  'staff.change': 'changed',
  'staff.change_password': 'changed the password of',
  'staff.confirm_two_factor': 'turned on two factors for',
  'staff.create': 'invited',
  'staff.delete': 'removed',
  'staff.disable_two_factor': 'turned off two factors for',
  'staff.end_sessions': 'signed out everywhere',
  'staff.invite': 'invited again',
  'staff.lock': 'was locked out for a while:',
  'staff.new_recovery_codes': 'made new recovery codes for',
  'staff.reset_password': 'chose a new password by mail for',
  'staff.reset_two_factor': 'removed the two factors of',
  'staff.start_two_factor': 'began to set up two factors for',
  'staff.use_recovery_code': 'used a recovery code of',
  'tenant.delete_calls': 'deleted calls of tenant',
  'webhook.rotate_secret': 'made a new secret for',
};
const VERBS: Record<string, string> = {
  put: 'saved',
  set: 'changed',
  create: 'made',
  delete: 'deleted',
  revoke: 'revoked',
  patch: 'changed',
  terminate: 'ended',
  approve: 'approved',
  reject: 'sent back',
  suspend: 'suspended',
  lift: 'lifted the suspension of',
};

/** One of a kind, where the API calls it otherwise than the dashboard. */
const ONE: Record<string, string> = {
  api_key: 'API key',
  audio_asset: 'sound',
  channel: 'line',
  consumer: 'account',
  ivr_flow: 'IVR flow',
  staff: 'person',
};

/** `queue.put` → "saved queue": what stands between who did it and what it was done to. */
export function actionWords(action: string): string {
  const known = ACTIONS[action];
  if (known !== undefined) return known;
  const [noun = '', verb = ''] = action.split('.');
  return `${VERBS[verb] ?? verb.replaceAll('_', ' ')} ${ONE[noun] ?? noun.replaceAll('_', ' ')}`;
}

export const nouns = Object.entries(NOUNS).map(([value, label]) => ({ value, label }));

/** The way a change came. */
const SURFACES: Record<string, string> = {
  api: 'API',
  mcp: 'Assistant',
  dashboard: 'Dashboard',
  socket: 'Agent phone',
  cli: 'Command line',
  job: 'By itself',
};
export const surfaceName = (surface: string): string => SURFACES[surface] ?? surface;

const KINDS: Record<string, string> = {
  apiKey: 'An API key',
  dashboardUser: 'Somebody at the dashboard',
  launchedUser: 'Somebody of a business',
  agent: 'An agent',
  mcp: 'An assistant',
  operator: 'The operator',
  job: 'Clarion itself',
};
export const actorKinds = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

/** As they were called then, or what they are. */
export const actorName = ({ kind, id, name }: { kind: string; id: string; name: string | null }): string =>
  name ?? (kind === 'apiKey' ? `API key ${id}` : (KINDS[kind] ?? kind));
