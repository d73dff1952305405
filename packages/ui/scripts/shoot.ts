/** Takes a picture of every story: `node scripts/shoot.ts <directory> [part of a story's id]`. For looking at them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { buildStoryPages } from '../test/story-pages.ts';

const [directory = '/tmp/clarion-stories', wanted = ''] = process.argv.slice(2);
const VIEWPORTS = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } } as const;

await mkdir(directory, { recursive: true });
const stories = await buildStoryPages();
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const [size, viewport] of Object.entries(VIEWPORTS)) {
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
  for (const theme of ['light', 'dark'] as const) {
    for (const id of stories.ids.filter((one) => one.includes(wanted))) {
      await page.goto(stories.url(id, theme));
      await page.locator('body.sb-show-main #storybook-root > *').first().waitFor();
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(directory, `${id}.${size}.${theme}.png`) });
    }
  }
  await page.close();
}
await browser.close();
await stories.close();
