/** The control API, as the page uses it. */
import type { CallView } from '../world/call.ts';
import type { JournalEntry } from '../world/journal.ts';

export interface Simulation {
  readonly numbers: readonly { phoneNumberId: string; displayPhoneNumber: string; verifiedName: string }[];
  readonly customers: readonly { waId: string; name: string; permission: { status: string } }[];
  readonly calls: readonly CallView[];
}

async function send<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(
    path,
    body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
  );
  const answer = (await response.json()) as T & { error?: { message: string } };
  if (!response.ok) throw new Error(answer.error?.message ?? `HTTP ${response.status}`);
  return answer;
}

const ofCall = (id: string, what: string): string => `/calls/${encodeURIComponent(id)}/${what}`;

export const control = {
  state: () => send<Simulation>('/state'),
  journal: () => send<{ entries: JournalEntry[] }>('/journal'),
  call: (customer: string) => send<CallView>('/calls', { customer }),
  answer: (id: string) => send(ofCall(id, 'answer'), {}),
  decline: (id: string) => send(ofCall(id, 'decline'), {}),
  hangUp: (id: string) => send(ofCall(id, 'hang-up'), {}),
  media: (id: string, sdp: string) => send(ofCall(id, 'media'), { sdp }),
  decide: (customer: string, decision: 'accept' | 'accept_permanently' | 'reject' | 'revoke') =>
    send(`/customers/${customer}/permission`, { decision }),
};

const TYPES = [
  'call',
  'media',
  'digit',
  'violation',
  'delivery',
  'request',
  'permission_request',
  'permission',
  'reconsider_prompt',
] as const;

/** While the stream is open, the customer's audio is in this page. Reconnects by itself. */
export function follow(
  customer: string,
  on: { open: () => void; entry: (entry: JournalEntry) => void; lost: () => void },
): () => void {
  const events = new EventSource(`/events?speaker=${customer}`);
  events.addEventListener('open', on.open);
  events.addEventListener('error', on.lost);
  for (const type of TYPES)
    events.addEventListener(type, ({ data }) => on.entry(JSON.parse(data as string) as JournalEntry));
  return () => events.close();
}
