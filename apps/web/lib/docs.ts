/** The documentation with the URLs of this deployment, rendered once per process. */
import { createDocs } from '@clarion/docs';
import type { DocPage, Docs } from '@clarion/docs';
import { renderMarkdown } from '@clarion/docs/render';
import type { RenderedPage } from '@clarion/docs/render';
import { runtime } from './api/runtime.ts';

let made: { docs: Docs; baseUrl: string } | undefined;
const rendered = new WeakMap<DocPage, RenderedPage>();

function make() {
  const { CLARION_BASE_URL: baseUrl, CLARION_APP_URL, CLARION_INGRESS_DOMAIN: ingressHost } = runtime().env;
  return { baseUrl, docs: createDocs({ baseUrl, appUrl: CLARION_APP_URL ?? baseUrl, ingressHost }) };
}

export const docs = (): Docs => (made ??= make()).docs;
export const docsBaseUrl = (): string => (made ??= make()).baseUrl;

export function renderedPage(page: DocPage): RenderedPage {
  const known = rendered.get(page) ?? renderMarkdown(page.markdown, docsBaseUrl());
  rendered.set(page, known);
  return known;
}

/** The path of a page; the first one is `/docs` itself. */
export const pathOfPage = (name: string): string => (name === 'index' ? '/docs' : `/docs/${name}`);
