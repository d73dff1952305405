/** What the demo account is called; its page, its routes and the test phone know it by these names. */
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
  /** Calls go to the demo carrier (scripts/demo-carrier.ts); calls from this machine come in. */
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
} as const;

/** `demo.json` in the data directory, readable by its owner alone. */
export interface DemoFile {
  baseUrl: string;
  consumer: string;
  tenantRef: string;
  agents: string[];
  /** The number to try first. */
  number: string;
  numbers: { support: string; ada: string };
  apiKey: string;
  signingKey: { kid: string; secret: string };
  /** The owner's way into the dashboard; the supervisor's password is the same. */
  dashboard: { email: string; password: string };
}
