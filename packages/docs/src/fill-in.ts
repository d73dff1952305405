/**
 * What a page's text leaves open: `{base_url}` and its like, links to other pages (`docs:guides/webhooks`) and to
 * other paths of the service (`service:openapi.json`), and the tables that are generated (`<!-- insert errors -->`).
 */
import type { Place } from './page.ts';
import { inserts } from './inserts.ts';

export function fillIn(text: string, { baseUrl, appUrl, ingressHost }: Place): string {
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
