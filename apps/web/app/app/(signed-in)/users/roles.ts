import type { RadioCard } from '@clarion/ui';

/** What each role may do, in the words of whoever gives it. */
export const roleCards: readonly RadioCard[] = [
  { value: 'OWNER', label: 'Owner', note: 'Everything, with keys, people, webhook and money.' },
  { value: 'ADMIN', label: 'Admin', note: 'Sets up tenants, agents, queues, lines, flows and trunks.' },
  { value: 'SUPERVISOR', label: 'Supervisor', note: 'Watches, listens and reads reports. Changes nothing.' },
];
