/** Takes a screenshot of every story for review: `node scripts/take-screenshots.ts <directory> [part of a story ID]`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTheme, StoryBrowser } from '../test/story-browser.ts';

const [directory = '/tmp/clarion-stories', wanted = ''] = process.argv.slice(2);
const VIEWPORTS = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } } as const;

await mkdir(directory, { recursive: true });
const browser = await StoryBrowser.start();
const ids = browser.stories.ids.filter((one) => one.includes(wanted));
for (const [size, viewport] of Object.entries(VIEWPORTS)) {
  await browser.visit(ids, { viewport }, async (page, id) => {
    await page.waitForLoadState('networkidle');
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(page, theme);
      await page.screenshot({ path: join(directory, `${id}.${size}.${theme}.png`) });
    }
  });
}
await browser.close();
