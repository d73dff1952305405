import type { AuditNoun } from '@clarion/core/audit-actions';

/** Labels of the nouns in the filter of the audit log. */
const NOUNS: Record<AuditNoun, string> = {
  account_billing: 'Account billing',
  agent: 'Agents',
  api_key: 'API keys',
  audio_asset: 'Audio',
  billing_account: 'Billing accounts of tenants',
  call: 'Calls',
  call_filter: 'Call filters',
  channel: 'Lines',
  consumer: 'Account',
  customer: 'Customers',
  embed_settings: 'Embedding',
  event: 'Webhook events',
  forwarding_rule: 'Forwarding rules',
  invoice: 'Invoices',
  ivr_flow: 'IVR flows',
  plan: 'Plan',
  price_plan: 'Price plans',
  push_credentials: 'Push credentials',
  push_token: 'Push tokens',
  queue: 'Queues',
  rate_deck: 'Rate decks',
  rate_entry: 'Rates',
  recording: 'Recordings',
  recording_policy: 'Recording policy',
  session: 'Sign-in and sign-out',
  signing_key: 'Signing keys',
  staff: 'People',
  template: 'Carrier templates',
  tenant: 'Tenants',
  trunk: 'Trunks',
  usage: 'Usage',
  webhook: 'Webhook',
  whatsapp_permission: 'WhatsApp permissions',
};

const ACTIONS: Record<string, string> = {
  'account_billing.adjust': 'adjusted the balance of account',
  'account_billing.put': 'changed the billing account of account',
  'account_billing.top_up': 'topped up the balance of account',
  'agent.put_do_not_disturb': 'changed do not disturb for agent',
  'agent.test_token': 'created a test token for agent',
  'billing_account.adjust': 'adjusted the balance of tenant',
  'billing_account.block': 'blocked because of an overdue invoice the account of',
  'billing_account.put': 'changed the billing account of tenant',
  'billing_account.suspend': 'suspended because of overdue invoices the account of',
  'billing_account.top_up': 'topped up the balance of tenant',
  'call.monitor': 'listened to call',
  'customer.erase': 'erased a customer of tenant',
  'event.redeliver': 'redelivered event',
  'invoice.mark_paid': 'marked as paid invoice',
  'push_credentials.test': 'sent a test push with the credentials of',
  'queue.put_members': 'changed the members of queue',
  'recording.expire': 'deleted expired recordings of tenant',
  'session.end': 'ended session',
  'session.launch': 'opened the dashboard from their product as',
  'session.refuse': 'failed to sign in as',
  'session.refuse_launch': 'failed to open the dashboard from their product as',
  'session.sign_in': 'signed in as',
  'session.sign_out': 'signed out of session',
  'staff.accept_invitation': 'accepted the invitation to',
  'staff.ask_reset': 'requested a password reset for',
  'staff.change': 'changed',
  'staff.change_password': 'changed the password of',
  'staff.confirm_two_factor': 'turned on two-factor authentication for',
  'staff.create': 'invited',
  'staff.delete': 'removed',
  'staff.disable_two_factor': 'turned off two-factor authentication for',
  'staff.end_sessions': 'ended all sessions of',
  'staff.invite': 'resent the invitation to',
  'staff.lock': 'was temporarily locked out as',
  'staff.new_recovery_codes': 'created new recovery codes for',
  'staff.reset_password': 'reset the password of',
  'staff.reset_two_factor': 'reset the two-factor authentication of',
  'staff.start_two_factor': 'started to set up two-factor authentication for',
  'staff.use_recovery_code': 'used a recovery code of',
  'tenant.delete_calls': 'deleted calls of tenant',
  'tenant.put_price_plan': 'changed the price plan of tenant',
  'trunk.follow_template': 'changed with their template the addresses of trunk',
  'trunk.put_rate_decks': 'changed the rate decks of trunk',
  'usage.reprice': 'priced earlier',
  'webhook.rotate_secret': 'rotated the secret of',
  'whatsapp_permission.request': 'asked a customer to allow calls from line',
};
const VERBS: Record<string, string> = {
  put: 'saved',
  set: 'changed',
  create: 'created',
  delete: 'deleted',
  revoke: 'revoked',
  patch: 'changed',
  terminate: 'ended',
  approve: 'approved',
  reject: 'rejected',
  suspend: 'suspended',
  lift: 'lifted the suspension of',
  submit: 'submitted',
  activate: 'activated',
  disable: 'disabled',
};

/** Singular labels where the dashboard's term differs from the API's. */
const ONE: Record<string, string> = {
  api_key: 'API key',
  audio_asset: 'audio asset',
  channel: 'line',
  consumer: 'account',
  ivr_flow: 'IVR flow',
  staff: 'user',
  template: 'carrier template',
};

/** `queue.put` → "saved queue": the text between actor and target. */
export function actionLabel(action: string): string {
  const known = ACTIONS[action];
  if (known !== undefined) return known;
  const [noun = '', verb = ''] = action.split('.');
  return `${VERBS[verb] ?? verb.replaceAll('_', ' ')} ${ONE[noun] ?? noun.replaceAll('_', ' ')}`;
}

export const nouns = Object.entries(NOUNS).map(([value, label]) => ({ value, label }));

/** The source of a change. */
const SURFACES: Record<string, string> = {
  api: 'API',
  mcp: 'Assistant',
  dashboard: 'Dashboard',
  socket: 'Agent phone',
  cli: 'Command line',
  job: 'Automatic',
};
export const surfaceName = (surface: string): string => SURFACES[surface] ?? surface;

const KINDS: Record<string, string> = {
  apiKey: 'API keys',
  dashboardUser: 'Dashboard users',
  launchedUser: 'Launched users',
  agent: 'Agents',
  mcp: 'Assistants',
  operator: 'Operator',
  job: 'Clarion',
};
export const actorKinds = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

/** The name at the time, or the kind of actor. */
export const actorName = ({ kind, id, name }: { kind: string; id: string; name: string | null }): string =>
  name ?? (kind === 'apiKey' ? `API key ${id}` : (KINDS[kind] ?? kind));
