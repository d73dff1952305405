/** A page of the documentation, as every surface shows it: web pages, Markdown, the assistant's docs tools. */

export const sections = ['Start', 'Guides', 'Reference', 'More'] as const;
export type Section = (typeof sections)[number];

export interface DocPage {
  /** What follows `/docs/`: `guides/webhooks`, `reference/put-queue`, `changelog`. */
  name: string;
  title: string;
  section: Section;
  /** One sentence. */
  summary: string;
  /** The whole page, beginning with its title as the only heading of the first level. */
  markdown: string;
  /** The noun that a reference page belongs to; null elsewhere. */
  group: string | null;
  /** Whether the page describes what is not built yet. */
  planned: boolean;
}

export interface SearchHit {
  page: DocPage;
  /** The sentence that fits best, at most about 240 characters. */
  passage: string;
  /** The heading above the passage; null for the beginning of the page. */
  heading: string | null;
  /** The heading's id in the page; null for the beginning of the page. */
  anchor: string | null;
  score: number;
}

/** Where this deployment is reached: fills `{base_url}`, `{app_url}` and `{ingress_host}`. */
export interface Place {
  baseUrl: string;
  appUrl: string;
  ingressHost: string | null;
}
