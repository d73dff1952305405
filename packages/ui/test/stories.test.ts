import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildStoryPages, type StoryPages } from './story-pages.ts';

const RULES: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** Rules about whole pages, which a story is not. */
const PAGE_RULES = ['region', 'page-has-heading-one', 'landmark-one-main'];

let stories: StoryPages;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  stories = await buildStoryPages();
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    reducedMotion: 'reduce',
  });
  await context.addInitScript(
    await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
  );
  page = await context.newPage();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await stories?.close();
});

async function open(id: string): Promise<void> {
  await page.goto(stories.url(id, 'light'));
  await page.locator('body.sb-show-main #storybook-root > *').first().waitFor();
  // A story's play function runs after it is shown.
  await page.waitForFunction(() => document.querySelector('[data-base-ui-animating]') === null);
}

async function faults(): Promise<string[]> {
  const { violations } = await page.evaluate(async (options) => {
    const { axe } = window as typeof window & { axe: { run(options: RunOptions): Promise<AxeResults> } };
    return axe.run(options);
  }, RULES);
  return violations
    .filter(({ id }) => !PAGE_RULES.includes(id))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
    );
}

describe('every state of every component', () => {
  test('can be used by everyone, in light and dark', { timeout: 240_000 }, async () => {
    expect(stories.ids.length).toBeGreaterThan(40);
    const found: Record<string, string[]> = {};
    for (const id of stories.ids) {
      await open(id);
      for (const theme of ['light', 'dark'] as const) {
        await page.evaluate(async (name) => {
          document.documentElement.dataset['theme'] = name;
          await new Promise(requestAnimationFrame);
          // Colours glide from one theme to the other; half-way they are neither.
          await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
        }, theme);
        const wrong = await faults();
        if (wrong.length > 0) found[`${id} ${theme}`] = wrong;
      }
    }
    expect(found).toEqual({});
  });

  test('fits a narrow phone without scrolling sideways', { timeout: 120_000 }, async () => {
    await page.setViewportSize({ width: 352, height: 740 });
    const wide: string[] = [];
    for (const id of stories.ids) {
      await open(id);
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wide.push(id);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(wide).toEqual([]);
  });
});

describe('the keyboard', () => {
  const story = (name: string) => open(`agent-phone--${name}`);
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
