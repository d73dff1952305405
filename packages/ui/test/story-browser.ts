/** Chromium with several tabs, each of which shows one story after another without reloading Storybook. */
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { buildStoryPages, type StoryPages } from './story-pages.ts';

/** For two cores: a tab is idle about half of the time. */
const TABS = 4;
const SHOWN_TIMEOUT_MS = 20_000;

/** Disables transitions, because a screenshot in the middle of one shows neither state. */
const STILL =
  '*,*::before,*::after{transition-duration:0s!important;transition-delay:0s!important;animation:none!important;caret-color:transparent!important}';

interface Channel {
  emit(event: string, value: unknown): void;
  on(event: string, listener: (value: { storyId: string; status?: string }) => void): void;
  off(event: string, listener: (value: { storyId: string; status?: string }) => void): void;
}

export class StoryBrowser {
  readonly stories: StoryPages;
  readonly browser: Browser;

  private constructor(stories: StoryPages, browser: Browser) {
    this.stories = stories;
    this.browser = browser;
  }

  static async start(): Promise<StoryBrowser> {
    const [stories, browser] = await Promise.all([
      buildStoryPages(),
      chromium.launch({
        executablePath: '/usr/bin/chromium-headless-shell',
        args: ['--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
      }),
    ]);
    return new StoryBrowser(stories, browser);
  }

  /** Opens a new tab in which `script` runs on every page. */
  async tab(options: BrowserContextOptions, script?: string): Promise<Page> {
    const context = await this.browser.newContext({ reducedMotion: 'reduce', ...options });
    if (script !== undefined) await context.addInitScript(script);
    const page = await context.newPage();
    await page.goto(this.stories.emptyUrl);
    await page.addStyleTag({ content: STILL });
    await page.locator('body.sb-show-nopreview').waitFor({ state: 'attached' });
    // The test runs axe itself, for both themes; a run by Storybook would be redundant.
    await page.evaluate(() => {
      const { __STORYBOOK_ADDONS_CHANNEL__: channel } = window as typeof window & {
        __STORYBOOK_ADDONS_CHANNEL__: Channel;
      };
      channel.emit('updateGlobals', { globals: { a11y: { manual: true } } });
    });
    return page;
  }

  /** Visits every story once, distributed over the tabs. */
  async visit(
    ids: readonly string[],
    options: BrowserContextOptions,
    look: (page: Page, id: string) => Promise<void>,
    script?: string,
  ): Promise<void> {
    const waiting = [...ids];
    await Promise.all(
      Array.from({ length: Math.min(TABS, ids.length) }, async () => {
        const page = await this.tab(options, script);
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          await showStory(page, id);
          await look(page, id);
        }
        await page.context().close();
      }),
    );
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.stories.close();
  }
}

/** Shows a story in a tab that has Storybook loaded, and waits until its play function has finished. */
export async function showStory(page: Page, id: string): Promise<void> {
  const status = await page.evaluate(
    ([storyId, timeoutMs]) =>
      new Promise<string>((resolve) => {
        const { __STORYBOOK_ADDONS_CHANNEL__: channel } = window as typeof window & {
          __STORYBOOK_ADDONS_CHANNEL__: Channel;
        };
        const done = (value: string) => {
          clearTimeout(timer);
          channel.off('storyFinished', finished);
          resolve(value);
        };
        const finished = (value: { storyId: string; status?: string }) => {
          if (value.storyId === storyId) done(value.status ?? 'success');
        };
        const timer = setTimeout(() => done('not shown in time'), timeoutMs);
        channel.on('storyFinished', finished);
        // Showing the same story again re-renders it, as after a reload.
        if (new URL(location.href).searchParams.get('id') === storyId)
          channel.emit('forceRemount', { storyId });
        else channel.emit('setCurrentStory', { storyId, viewMode: 'story' });
      }),
    [id, SHOWN_TIMEOUT_MS] as const,
  );
  if (status !== 'success') throw new Error(`story ${id}: ${status}`);
  await page.waitForFunction(() => document.querySelector('[data-base-ui-animating]') === null);
}

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.evaluate(async (name) => {
    document.documentElement.dataset['theme'] = name;
    await new Promise(requestAnimationFrame);
  }, theme);
}
