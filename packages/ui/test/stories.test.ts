import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setTheme, showStory, StoryBrowser } from './story-browser.ts';

const RULES: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** A theme changes nothing but colours. */
const COLOUR_RULES: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } };
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

async function faults(page: Page, options: RunOptions): Promise<string[]> {
  const { violations } = await page.evaluate(async (given) => {
    const { axe } = window as typeof window & { axe: { run(options: RunOptions): Promise<AxeResults> } };
    return axe.run(given);
  }, options);
  return violations
    .filter(({ id }) => !PAGE_RULES.includes(id))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
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

describe('the keyboard', () => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.tab({ viewport: { width: 390, height: 844 } });
  });
  const story = (name: string) => showStory(page, `agent-phone--${name}`);
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

  test('starts on Answer when a call rings', async () => {
    await story('incoming-from-queue');
    expect(await focused()).toBe('Answer');
  });

  test('reaches every control by Tab', async () => {
    await story('active');
    const seen = new Set<string>();
    for (let presses = 0; presses < 12; presses += 1) {
      await page.keyboard.press('Tab');
      seen.add(
        await page.evaluate(() =>
          (document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? '').trim(),
        ),
      );
    }
    for (const control of ['Availability: On a call', 'Audio devices', 'Mute', 'Hold', 'Keypad', 'Hang up'])
      expect([...seen]).toContain(control);
  });

  test('sends typed digits as keys of the phone while a call is on', async () => {
    await story('active');
    await page.keyboard.press('4');
    await page.keyboard.press('#');
    await page.getByLabel('Sent 4#').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Sent 4#').waitFor({ state: 'detached' });
  });

  test('types a number on the dial pad, and letters of a shortcut stay letters in a field', async () => {
    await story('idle');
    await page.getByRole('button', { name: '5', exact: true }).click();
    await page.keyboard.type('a 67');
    expect(await page.getByLabel('Number to call').inputValue()).toBe('567');
  });

  test('closes the devices with Escape and returns to where it was', async () => {
    await story('idle');
    await page.getByRole('button', { name: 'Audio devices' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Audio devices');
  });

  test('an incoming call is announced at once', async () => {
    await story('incoming-from-queue');
    const status = page.locator('[aria-live=assertive]');
    expect(await status.textContent()).toBe('Incoming call from Grace Hopper, Sales');
  });
});
