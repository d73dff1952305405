import type { RadioCard } from '@clarion/ui';

/** What each role may do, as shown in the invitation. */
export const roleCards: readonly RadioCard[] = [
  { value: 'OWNER', label: 'Owner', note: 'Full access, including keys, people, webhook and billing.' },
  { value: 'ADMIN', label: 'Admin', note: 'Manages tenants, agents, queues, lines, flows and trunks.' },
  {
    value: 'SUPERVISOR',
    label: 'Supervisor',
    note: 'Sees the live board, calls and reports, and can listen to calls. Cannot make changes.',
  },
];
