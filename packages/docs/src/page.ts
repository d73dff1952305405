/** A page of the documentation, as used by the web pages, the Markdown files and the assistant's docs tools. */

export const sections = ['Start', 'Guides', 'Reference', 'More'] as const;
export type Section = (typeof sections)[number];

export interface DocPage {
  /** The path after `/docs/`: `guides/webhooks`, `reference/put-queue`, `changelog`. */
  name: string;
  title: string;
  section: Section;
  /** One sentence. */
  summary: string;
  /** The whole page. It starts with the title, which is its only first-level heading. */
  markdown: string;
  /** The noun of a reference page; null for other pages. */
  group: string | null;
  /** Whether the page describes something that is not available yet. */
  planned: boolean;
}

export interface SearchHit {
  page: DocPage;
  /** The best matching sentence, at most 240 characters. */
  passage: string;
  /** The heading above the passage; null for the beginning of the page. */
  heading: string | null;
  /** The ID of the heading in the page; null for the beginning of the page. */
  anchor: string | null;
  score: number;
}

/** The addresses of this deployment, which replace `{base_url}`, `{app_url}` and `{ingress_host}`. */
export interface Deployment {
  baseUrl: string;
  appUrl: string;
  ingressHost: string | null;
}
