/** Checks the current state of a page with axe. */
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
/** The rules whose result depends on the theme. */
const COLOUR_RULES = ['color-contrast'];

export interface AxeOptions {
  /** In this order. The first is checked with all rules, the others only with those about colours. */
  themes?: readonly Theme[];
  /** A selector, for example of an open sheet, below which the page is inert. If it matches nothing, the whole page is checked. */
  within?: string;
  /** Includes violations that axe rates as moderate or minor. */
  includeMinor?: boolean;
}

/** The violations as text; empty if there are none. The page is left in the last theme, with reduced motion. */
export async function axeViolations(
  page: Page,
  { themes = THEMES, within, includeMinor = false }: AxeOptions = {},
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const found: string[] = [];
  for (const [index, colorScheme] of themes.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const options: RunOptions = { resultTypes: ['violations'], ...(index > 0 && { runOnly: COLOUR_RULES }) };
    const violations = await page.evaluate(
      async ([run, selector]) => {
        // During the transition between two themes, a colour has the contrast of neither.
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
      includeMinor || impact === 'serious' || impact === 'critical';
    found.push(...violations.filter(counts).map(({ text }) => `${colorScheme}: ${text}`));
  }
  return found;
}
