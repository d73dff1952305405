import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeComponents } from './component-tests.ts';
import { describePhone } from './phone-tests.ts';
import { setTheme, StoryBrowser } from './story-browser.ts';

const RULES: RunOptions = {
  resultTypes: ['violations'],
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** The themes differ only in colours, so the second run checks only contrast. */
const COLOUR_RULES: RunOptions = {
  resultTypes: ['violations'],
  runOnly: { type: 'rule', values: ['color-contrast'] },
};
/** Rules for whole pages, which do not apply to stories. */
const PAGE_RULES = ['region', 'page-has-heading-one', 'landmark-one-main'];

const NARROW = { viewport: { width: 352, height: 740 } };

let browser: StoryBrowser;

beforeAll(async () => {
  browser = await StoryBrowser.start();
}, 180_000);

afterAll(async () => {
  await browser?.close();
});

/** The violations as text. They are extracted in the page, because transferring a whole report is slow. */
function violationsOf(page: Page, options: RunOptions): Promise<string[]> {
  return page.evaluate(
    async ([given, pageRules]) => {
      const { axe } = window as typeof window & { axe: { run(options: RunOptions): Promise<AxeResults> } };
      const { violations } = await axe.run(given);
      return violations
        .filter(({ id }) => !pageRules.includes(id))
        .flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
        );
    },
    [options, PAGE_RULES] as const,
  );
}

test(
  'every state of every component is accessible in both themes and fits a narrow screen',
  { timeout: 240_000 },
  async () => {
    expect(browser.stories.ids.length).toBeGreaterThan(100);
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const found: Record<string, string[]> = {};
    await browser.visit(
      browser.stories.ids,
      NARROW,
      async (page, id) => {
        await setTheme(page, 'light');
        const wrong = await violationsOf(page, RULES);
        await setTheme(page, 'dark');
        wrong.push(...(await violationsOf(page, COLOUR_RULES)).map((fault) => `dark: ${fault}`));
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          wrong.push('scrolls sideways');
        if (wrong.length > 0) found[id] = wrong;
      },
      axe,
    );
    expect(found).toEqual({});
  },
);

describe('components', () => {
  describeComponents(() => browser);
});

describe('the phone with the keyboard', () => {
  describePhone(() => browser);
});
