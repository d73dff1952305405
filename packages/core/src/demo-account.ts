/** Names of the demo account, used by its page, its routes and the test phone. */
export const demo = {
  slug: 'demo',
  tenantRef: 'demo',
  queueRef: 'support',
  agents: [
    { ref: 'ada', name: 'Ada' },
    { ref: 'ben', name: 'Ben' },
  ],
  people: [
    { email: 'owner@demo.test', name: 'Olivia Owner', role: 'OWNER' },
    { email: 'supervisor@demo.test', name: 'Sam Supervisor', role: 'SUPERVISOR' },
  ],
  /** The trunk of the demo carrier (scripts/demo-carrier.ts); it accepts calls from this machine. */
  trunk: {
    name: 'loopback',
    host: '127.0.0.1',
    transport: 'UDP',
    inboundSourceCidrs: ['127.0.0.0/8'],
    ingressLabel: 'demo',
  },
  lines: {
    support: {
      address: '+442071838750',
      displayName: 'Support',
      inboundQueueRef: 'support',
      ownerAgentRef: null,
    },
    ada: { address: '+442071838751', displayName: 'Ada', inboundQueueRef: null, ownerAgentRef: 'ada' },
  },
  /** A line whose far end is the simulator of WhatsApp (scripts/demo-whatsapp.ts). Only the simulator accepts its access token. */
  whatsapp: {
    ref: 'whatsapp',
    address: '+442071838752',
    displayName: 'WhatsApp support',
    inboundQueueRef: 'support',
    phoneNumberId: '400000000000001',
    accessToken: 'demo-access-token',
    /** In Ofcom's range of mobile numbers for drama use, never assigned. */
    customers: {
      /** Played by a person in the simulator's page. */
      page: { number: '447700900461', name: 'Nora Field' },
      /** Of `npm run call -- --whatsapp`. */
      command: { number: '447700900462', name: 'Theo Marsh' },
    },
  },
} as const;

/** `demo.json` in the data directory, readable only by its owner. */
export interface DemoFile {
  baseUrl: string;
  consumer: string;
  tenantRef: string;
  agents: string[];
  /** The first number to try. */
  number: string;
  numbers: { support: string; ada: string };
  apiKey: string;
  signingKey: { kid: string; secret: string };
  /** The owner's password for the dashboard; the supervisor's is the same. */
  dashboard: { email: string; password: string };
}
