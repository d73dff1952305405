/** The groups of the reference, in order. An endpoint belongs to the first noun that has a prefix of its path. */

export interface Noun {
  slug: string;
  title: string;
  summary: string;
  /** Path prefixes, without `/v1`. */
  paths: readonly string[];
  /** Guides that explain it, as page names. */
  guides: readonly string[];
}

const tenant = '/tenants/{tenantRef}';

export const nouns: readonly Noun[] = [
  {
    slug: 'agents',
    title: 'Agents',
    summary: 'The people who take and place calls in a tenant.',
    paths: [`${tenant}/agents`],
    guides: ['guides/agents'],
  },
  {
    slug: 'queues',
    title: 'Queues',
    summary: 'Where inbound calls wait for available agents, with members and a strategy.',
    paths: [`${tenant}/queues`],
    guides: ['guides/queues'],
  },
  {
    slug: 'channels',
    title: 'Channels',
    summary: 'Phone numbers and WhatsApp numbers of a tenant. The guides call a channel a line.',
    paths: [`${tenant}/channels`],
    guides: ['guides/lines'],
  },
  {
    slug: 'audio',
    title: 'Audio',
    summary: 'Audio assets of a tenant, such as prompts and hold audio.',
    paths: [`${tenant}/audio-assets`],
    guides: ['guides/ivr'],
  },
  {
    slug: 'ivr-flows',
    title: 'IVR flows',
    summary: 'Menus that answer calls before an agent does.',
    paths: [`${tenant}/ivr-flows`],
    guides: ['guides/ivr'],
  },
  {
    slug: 'calls',
    title: 'Calls',
    summary: 'Create outbound intents, list calls, and read, change, end or delete a call and its recording.',
    paths: [`${tenant}/calls`, `${tenant}/customers`, '/calls'],
    guides: ['guides/outbound-calls', 'guides/calls', 'guides/recordings'],
  },
  {
    slug: 'reports',
    title: 'Reports and usage',
    summary: 'Figures about calls, agents and queues, and usage records with prices.',
    paths: [`${tenant}/reports`, '/usage'],
    guides: ['guides/reports'],
  },
  {
    slug: 'billing',
    title: 'Billing',
    summary:
      "A tenant's price plan, account, transactions and invoices, and the invoices of your own account.",
    paths: [`${tenant}/billing`, `${tenant}/billing-account`, `${tenant}/price-plan`, '/billing'],
    guides: ['guides/billing'],
  },
  {
    slug: 'tenants',
    title: 'Tenants',
    summary: 'The businesses in your product. Every other resource belongs to a tenant.',
    paths: ['/tenants'],
    guides: ['concepts'],
  },
  {
    slug: 'webhook',
    title: 'Webhook and events',
    summary: 'Webhook settings, events, and the responses of your endpoint.',
    paths: ['/webhook', '/events'],
    guides: ['guides/webhooks'],
  },
  {
    slug: 'whatsapp',
    title: 'WhatsApp ingress',
    summary: "The WhatsApp platform's webhooks, forwarded to the service.",
    paths: ['/webhooks'],
    guides: ['guides/whatsapp'],
  },
  {
    slug: 'push',
    title: 'Push credentials',
    summary: 'The credentials for waking up your mobile app.',
    paths: ['/push-credentials'],
    guides: ['guides/push'],
  },
  {
    slug: 'keys',
    title: 'Keys',
    summary: 'API keys, and keys that sign agent tokens.',
    paths: ['/api-keys', '/signing-keys'],
    guides: ['guides/security'],
  },
  {
    slug: 'recording-policy',
    title: 'Recording policy',
    summary: "The account's default setting for recording calls.",
    paths: ['/recording-policy'],
    guides: ['guides/recordings'],
  },
  {
    slug: 'sip-trunks',
    title: 'SIP trunks and numbers',
    summary: 'Carrier connections, carrier templates and the numbers on them.',
    paths: ['/sip-trunks', '/carrier-templates', '/numbers'],
    guides: ['guides/sip-trunks'],
  },
  {
    slug: 'pricing',
    title: 'Price plans and rate decks',
    summary: 'The prices for your tenants, and the prices of your carriers.',
    paths: ['/price-plans', '/rate-decks', '/route-preview'],
    guides: ['guides/billing'],
  },
  {
    slug: 'account-billing',
    title: 'Account billing',
    summary: 'Your prepaid balance with the operator, or what you owe.',
    paths: ['/billing'],
    guides: ['guides/billing'],
  },
  {
    slug: 'dashboard',
    title: 'Dashboard',
    summary:
      "Endpoints of the dashboard's own pages: the signed-in user, the users of the account, and what needs attention.",
    paths: ['/me', '/users', '/audit-log', '/overview', '/checklist', '/realtime-tickets', '/embed-settings'],
    guides: ['guides/dashboard', 'guides/supervisors', 'guides/embed'],
  },
  { slug: 'other', title: 'Other', summary: 'Other endpoints.', paths: [''], guides: [] },
];

export function nounOf(path: string): Noun {
  const rest = path.replace(/^\/v1/, '');
  const found = nouns.find(({ paths }) =>
    paths.some((start) => rest === start || rest.startsWith(`${start}/`)),
  );
  const [last] = nouns.slice(-1);
  if (!found && !last) throw new Error('the list of nouns is empty');
  return found ?? (last as Noun);
}
