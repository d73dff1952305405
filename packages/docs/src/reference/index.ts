/** The reference: one page per noun and one per endpoint, generated from the registry. */
import { registry } from '@clarion/protocol/v1/registry';
import { fillPlaceholders } from '../fill-placeholders.ts';
import type { Deployment, DocPage } from '../page.ts';
import { describeEndpoints } from './endpoint.ts';
import { endpointPage } from './endpoint-page.ts';
import { meaningsOf } from './meanings.ts';
import { nounPage } from './noun-page.ts';
import { nouns } from './nouns.ts';

/** @param guides the pages that noun pages link to */
export function referencePages(deployment: Deployment, guides: readonly DocPage[]): DocPage[] {
  const titles = new Map(guides.map(({ name, title }) => [name, title]));
  const titleOf = (page: string) => titles.get(page) ?? page;
  const endpoints = describeEndpoints(registry);
  const pages = nouns.flatMap((noun) => {
    const mine = endpoints.filter((endpoint) => endpoint.noun === noun);
    const meanings = meaningsOf(mine.map(({ definition }) => definition));
    return mine.length === 0
      ? []
      : [nounPage(noun, mine, titleOf), ...mine.map((endpoint) => endpointPage(endpoint, meanings))];
  });
  return pages.map((page) => ({ ...page, markdown: fillPlaceholders(page.markdown, deployment) }));
}
