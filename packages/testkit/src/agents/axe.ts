/** What axe has to say about a page as it stands. */
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
/** All that another theme can break. */
const COLOUR_RULES = ['color-contrast'];

export interface AxeLook {
  /** In this order: the first with all rules, the others with those about colours. */
  themes?: readonly Theme[];
  /** A selector. Below an open sheet the page is inert, and is left out with `within` the sheet; the whole page where nothing fits it. */
  within?: string;
  /** Also what axe holds for moderate or minor. */
  evenSmall?: boolean;
}

/** Faults in words, none where all is well. The page is left in the last theme, without motion. */
export async function axeFaults(
  page: Page,
  { themes = THEMES, within, evenSmall = false }: AxeLook = {},
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const found: string[] = [];
  for (const [index, colorScheme] of themes.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const options: RunOptions = { resultTypes: ['violations'], ...(index > 0 && { runOnly: COLOUR_RULES }) };
    const violations = await page.evaluate(
      async ([run, selector]) => {
        // A colour that is still on its way from the other theme has neither one's contrast.
        const changing = document.getAnimations().filter((each) => each instanceof CSSTransition);
        await Promise.allSettled(changing.map(({ finished }) => finished));
        const { axe: checker } = window as typeof window & {
          axe: { run(on: Node, options: RunOptions): Promise<AxeResults> };
        };
        const results = await checker.run((selector && document.querySelector(selector)) || document, run);
        return results.violations.map(({ id, impact, nodes }) => ({
          impact,
          text: `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
        }));
      },
      [options, within ?? ''] as const,
    );
    const counts = ({ impact }: (typeof violations)[number]) =>
      evenSmall || impact === 'serious' || impact === 'critical';
    found.push(...violations.filter(counts).map(({ text }) => `${colorScheme}: ${text}`));
  }
  return found;
}
