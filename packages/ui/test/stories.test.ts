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
/** A theme changes nothing but colours. */
const COLOUR_RULES: RunOptions = {
  resultTypes: ['violations'],
  runOnly: { type: 'rule', values: ['color-contrast'] },
};
/** Rules about whole pages, which a story is not. */
const PAGE_RULES = ['region', 'page-has-heading-one', 'landmark-one-main'];

const NARROW = { viewport: { width: 352, height: 740 } };

let browser: StoryBrowser;

beforeAll(async () => {
  browser = await StoryBrowser.start();
}, 180_000);

afterAll(async () => {
  await browser?.close();
});

/** What is wrong, in words; the page picks them, for a whole report takes longer to hand over than to make. */
function faults(page: Page, options: RunOptions): Promise<string[]> {
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
  'every state of every component can be used by everyone, in light and dark, and fits a narrow screen',
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
        const wrong = await faults(page, RULES);
        await setTheme(page, 'dark');
        wrong.push(...(await faults(page, COLOUR_RULES)).map((fault) => `dark: ${fault}`));
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

describe('the phone, by keyboard', () => {
  describePhone(() => browser);
});
