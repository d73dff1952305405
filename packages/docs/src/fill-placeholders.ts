/**
 * Replaces the placeholders of a page: `{base_url}` and similar, links to other pages (`docs:guides/webhooks`) and to
 * other paths of the service (`service:openapi.json`), and generated tables (`<!-- insert errors -->`).
 */
import type { Deployment } from './page.ts';
import { inserts } from './inserts.ts';

export function fillPlaceholders(text: string, { baseUrl, appUrl, ingressHost }: Deployment): string {
  return text
    .replaceAll(/^<!-- insert ([\w-]+) -->$/gm, (_, name: string) => {
      const insert = inserts[name];
      if (!insert) throw new Error(`unknown insert ${name}`);
      return insert();
    })
    .replaceAll(/\]\(docs:([^)\s]*)\)/g, (_, name: string) => `](${baseUrl}/docs/${name})`)
    .replaceAll(/\]\(service:([^)\s]*)\)/g, (_, path: string) => `](${baseUrl}/${path})`)
    .replaceAll('{base_url}', baseUrl)
    .replaceAll('{app_url}', appUrl)
    .replaceAll('{ingress_host}', ingressHost ?? 'the ingress host');
}
