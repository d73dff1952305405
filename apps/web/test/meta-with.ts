import type { Egress } from '@clarion/core/egress/guard';
import { createGraphClient } from '@clarion/core/whatsapp/graph-client';

interface Sent {
  url: string;
  body: unknown;
}

/** The Graph API of Meta, with these responses in order, and timeouts after them. */
export function metaWith(...responses: { status: number; body: unknown }[]) {
  const sent: Sent[] = [];
  const egress: Pick<Egress, 'exchange'> = {
    exchange: async (url, { body }) => {
      sent.push({ url, body: typeof body === 'string' ? JSON.parse(body) : null });
      const next = responses.shift();
      if (!next) throw new DOMException('timeout', 'TimeoutError');
      return { status: next.status, text: JSON.stringify(next.body) };
    },
  };
  const graph = createGraphClient({ egress, baseUrl: 'https://graph.example', pause: async () => {} });
  return { sent, graph };
}
