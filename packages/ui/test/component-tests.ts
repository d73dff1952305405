/** Behaviour tests of the dashboard's components, run on their stories. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { showStory, type StoryBrowser } from './story-browser.ts';

const RECORDING = new URL('../../../apps/cli/assets/demo/order.ogg', import.meta.url);

export function describeComponents(start: () => StoryBrowser): void {
  let page: Page;
  beforeAll(async () => {
    page = await start().tab({ viewport: { width: 900, height: 800 } });
  });

  const values = () =>
    page.evaluate(() => [...new FormData(document.querySelector('form') ?? undefined)].map(String));

  describe('a form', () => {
    test('submits the value of every kind of field under its name', async () => {
      await showStory(page, 'forms--all-fields');
      await page.getByRole('combobox', { name: 'Overflow queue' }).click();
      await page.getByRole('option', { name: 'Support' }).click();
      await page.getByRole('combobox', { name: 'Queue', exact: true }).fill('sal');
      await page.keyboard.press('Enter');
      await page.getByRole('combobox', { name: 'Members' }).fill('supp');
      await page.keyboard.press('Enter');
      await page.getByRole('radio', { name: /Forward/ }).click();
      await page.getByRole('checkbox').click();
      await page.getByRole('switch').click();
      await page.getByLabel('Maximum wait').fill('60');
      await page.keyboard.press('Tab');
      expect(await values()).toEqual([
        'name,Sales',
        'url,',
        'note,',
        'wait,60',
        'strategy,support',
        'queue,sales',
        'members,sales',
        'members,long',
        'members,support',
        'secret,',
        'then,forward',
      ]);
    });

    test('keeps the selection when Escape is pressed in a closed list', async () => {
      await showStory(page, 'forms--multi-open');
      const members = page.getByRole('combobox', { name: 'Members' });
      await page.keyboard.press('Escape');
      await page.getByRole('listbox').waitFor({ state: 'detached' });
      await members.focus();
      await page.keyboard.press('Escape');
      expect(await page.getByRole('button', { name: 'Remove Sales' }).count()).toBe(1);
    });

    test('focuses the first field that the server rejected, and shows the error until it is changed', async () => {
      await showStory(page, 'forms--refused');
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByText('Another agent has this address.').waitFor();
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('address');
      expect(await page.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
      await page.keyboard.type('2');
      await page.getByText('Another agent has this address.').waitFor({ state: 'detached' });
    });

    test('rejects a file of the wrong type with a message, and accepts a valid one', async () => {
      await showStory(page, 'forms--files');
      const input = page.getByLabel('List of agents');
      await input.setInputFiles({
        name: 'agents.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF'),
      });
      await page.getByText('This file type is not supported').waitFor();
      await input.setInputFiles({ name: 'agents.xlsx', mimeType: '', buffer: Buffer.from('PK') });
      await page.getByText('Save the workbook as CSV first.').waitFor();
      await input.setInputFiles({
        name: 'agents.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('name\nAda'),
      });
      await page.getByText('agents.csv, 8 bytes').waitFor();
    });
  });

  test('a column that a narrow screen hides is shown in the rows that keep it', async () => {
    await showStory(page, 'data--table-keeping-a-column');
    const shown = () =>
      page
        .locator('#storybook-root tbody tr td:nth-child(2)')
        .evaluateAll((cells) => cells.map((cell) => cell.checkVisibility()));
    expect(await shown()).toEqual([true, true, true, true]);
    const wide = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await shown()).toEqual([false, true, false, false]);
    if (wide !== null) await page.setViewportSize(wide);
  });

  test('the arrow keys move between the rows of a table, and Enter opens a row', async () => {
    await showStory(page, 'data--table-that-opens');
    const rows = page.locator('#storybook-root tbody tr');
    await rows.first().focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    expect(await rows.nth(2).getAttribute('aria-current')).toBe('true');
    expect(await rows.nth(1).getAttribute('aria-current')).toBeNull();
  });

  test('an irreversible action can be confirmed only after its name is typed', async () => {
    await showStory(page, 'layout--confirm-by-typing');
    const button = page.getByRole('button', { name: 'Delete tenant' });
    expect(await button.isDisabled()).toBe(true);
    await page.getByRole('textbox').fill('acme-telephone');
    expect(await button.isDisabled()).toBe(true);
    await page.getByRole('textbox').fill('acme-telephones');
    expect(await button.isEnabled()).toBe(true);
  });

  test('a folded field that the server rejected is shown and focused', async () => {
    await showStory(page, 'layout--disclosures');
    expect(await page.getByLabel('Port').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must be at most 65535.').waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'port');
  });

  test('earlier steps of a task can be opened again with the keyboard, later ones cannot', async () => {
    await showStory(page, 'layout--steps-of-task');
    const steps = page.getByRole('navigation', { name: 'Add a trunk' });
    expect(await steps.getByRole('button').allTextContents()).toEqual(['Carrier', 'Connection']);
    await steps.getByRole('button', { name: 'Carrier' }).focus();
    await page.keyboard.press('Enter');
    expect(await steps.locator('[aria-current=step]').textContent()).toContain('Carrier');
    expect(await steps.getByRole('button').count()).toBe(0);
  });

  test('a dialog focuses its first field', async () => {
    await showStory(page, 'layout--dialog-open');
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'name');
  });

  test('the command menu filters by the typed text and highlights the first result', async () => {
    await showStory(page, 'shell--commands');
    await page.waitForFunction(() => document.activeElement?.matches('input') ?? false);
    await page.keyboard.type('acme');
    const options = page.getByRole('option');
    await options.nth(1).waitFor({ state: 'detached' });
    expect(await options.textContent()).toContain('Acme Telephones');
    expect(await options.getAttribute('data-highlighted')).not.toBeNull();
  });

  test('a chart can be shown as a table with the same figures', async () => {
    await showStory(page, 'charts--as-table');
    expect(await page.locator('#storybook-root tbody tr').nth(11).textContent()).toBe('11:00401');
  });

  test('a ladder is a list whose messages open with Enter, with arrow keys between them and a filter', async () => {
    await showStory(page, 'ladder--transferred');
    const list = page.getByRole('list', { name: 'Messages, oldest first' });
    const invite = list.getByRole('button', { name: /198\.51\.100\.7 to Service: INVITE/ });
    expect(await list.getByRole('listitem').count()).toBe(21);
    await invite.focus();
    await page.keyboard.press('Enter');
    await list.getByText('Call-ID: 3848276298220188511@carrier.example').waitFor();
    expect(await invite.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowDown');
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    expect(await focused()).toContain('Service to 198.51.100.7: 180 Ringing');
    await page.keyboard.press('End');
    expect(await focused()).toContain('200 OK (BYE)');
    await page.getByRole('button', { name: 'SIP only' }).click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(6);
    expect(await page.getByRole('list', { name: 'Parties' }).getByRole('listitem').allTextContents()).toEqual(
      ['198.51.100.7', 'Service'],
    );
  });

  test('a stereo Ogg Opus recording is drawn, played, seeked with the keyboard, and muted per channel', async () => {
    const body = await readFile(RECORDING);
    await page.route('**/nothing-here.ogg', (route) => route.fulfill({ contentType: 'audio/ogg', body }));
    await showStory(page, 'waveform--not-loaded');
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await page.locator('#storybook-root [role=slider] path').count()).toBe(4);
    const place = page.getByRole('slider');
    const seconds = async () => Number(await place.getAttribute('aria-valuenow'));
    await expect.poll(seconds).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    const before = await seconds();
    await place.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(seconds).toBe(before + 5);
    await page.getByRole('button', { name: 'Mute Caller' }).click();
    await page.getByRole('button', { name: 'Unmute Caller' }).waitFor();
    await page.unrouteAll();
  });
}
