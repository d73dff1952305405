/** Operates the phone with the keyboard, on its stories. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { showStory, type StoryBrowser } from './story-browser.ts';

export function describePhone(browserOf: () => StoryBrowser): void {
  let page: Page;
  beforeAll(async () => {
    page = await browserOf().tab({ viewport: { width: 390, height: 844 } });
  });
  const story = (name: string) => showStory(page, `agent-phone--${name}`);
  const focused = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      return (activeElement?.ariaLabel ?? activeElement?.textContent ?? '').trim();
    });
  const reachedByTab = async (presses: number) => {
    const seen = new Set<string>();
    for (let press = 0; press < presses; press += 1) {
      await page.keyboard.press('Tab');
      seen.add(await focused());
    }
    return [...seen];
  };

  test('focuses Answer when a call rings', async () => {
    await story('incoming-from-queue');
    expect(await focused()).toBe('Answer');
  });

  test('does not take the focus while the user types elsewhere on the page', async () => {
    await story('idle');
    await page.evaluate(() => {
      const field = document.createElement('input');
      field.ariaLabel = 'Elsewhere';
      document.body.append(field);
      field.focus();
    });
    await page.getByRole('button', { name: '5', exact: true }).waitFor();
    expect(await focused()).toBe('Elsewhere');
    await page.evaluate(() => document.querySelector('[aria-label=Elsewhere]')?.remove());
  });

  test('every control of a call can be reached with Tab', async () => {
    await story('active');
    const wanted = ['Availability: On a call', 'Settings', 'Mute', 'Hold', 'Keypad', 'Transfer', 'Notes'];
    expect(await reachedByTab(14)).toEqual(expect.arrayContaining([...wanted, 'Hang up', 'Phone', 'Recent']));
  });

  test('every ringing call can be answered and declined', async () => {
    await story('incoming-several');
    const names = ['Answer', 'Decline', 'Answer Katherine Johnson', 'Decline +1 415 555 0123'];
    expect(await reachedByTab(14)).toEqual(expect.arrayContaining(names));
  });

  test('typed digits are sent during a call', async () => {
    await story('active');
    await page.keyboard.press('4');
    await page.keyboard.press('#');
    await page.getByLabel('Sent 4#').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Sent 4#').waitFor({ state: 'detached' });
  });

  test('a number can be typed on the dial pad, and shortcut letters are ordinary letters in a field', async () => {
    await story('idle');
    await page.getByRole('button', { name: '5', exact: true }).click();
    await page.keyboard.type('a 67');
    expect(await page.getByLabel('Number to call').inputValue()).toBe('567');
  });

  test('a typed number is kept while a call rings, until the agent has called', async () => {
    await story('operable');
    const number = page.getByLabel('Number to call');
    await number.fill('567');
    await page.getByRole('button', { name: 'Ring', exact: true }).click();
    await page.getByRole('button', { name: 'Decline' }).click();
    expect(await number.inputValue()).toBe('567');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await number.inputValue()).toBe('');
  });

  test('a number can be pasted anywhere on the phone, and customers of today’s calls are suggested', async () => {
    await story('idle-redial');
    await page.getByRole('button', { name: 'Redial' }).click();
    expect(await page.getByLabel('Number to call').inputValue()).toBe('+442071838750');
    await page.getByRole('button', { name: '1', exact: true }).focus();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ' (415) 555-01');
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    });
    expect(await page.getByLabel('Number to call').inputValue()).toBe('41555501');
    await page.getByRole('button', { name: 'Grace Hopper' }).click();
    expect(await page.getByLabel('Number to call').inputValue()).toBe('+14155550123');
  });

  test('the line to call from is selected with the keyboard, and its channel is named', async () => {
    await story('idle');
    const line = page.getByRole('combobox', { name: 'Call from' });
    await line.getByRole('img', { name: 'Phone' }).waitFor();
    await line.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /WhatsApp sales.*WhatsApp · / }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await line.getByText('WhatsApp sales').waitFor();
    await line.getByRole('img', { name: 'WhatsApp' }).waitFor();
  });

  test('a WhatsApp customer without a number is shown by the user ID, and cannot be redialled on the keypad', async () => {
    await story('recent');
    await page.getByRole('button', { name: 'Call WhatsApp user US.13491208655302741918' }).waitFor();
    await page.getByRole('img', { name: 'WhatsApp' }).waitFor();
    await page.getByRole('button', { name: 'Phone', exact: true }).click();
    await page.getByRole('button', { name: 'Redial +442071838750' }).waitFor();
  });

  test('a colleague is found by typing and selected with the arrow keys, and Escape restores the focus', async () => {
    await story('active');
    await page.keyboard.press('t');
    await page.getByText('Charles Babbage').waitFor();
    await page.keyboard.type('ma');
    await page.getByText('Charles Babbage').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toContain('Mary Jackson');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Mute');
  });

  test('typing a note does not trigger shortcuts', async () => {
    await story('notes');
    await page.getByRole('textbox', { name: 'Notes' }).press('End');
    await page.keyboard.type(' hm1');
    expect(await page.getByRole('textbox', { name: 'Notes' }).inputValue()).toBe(
      'Wants the invoice again. hm1',
    );
    expect(await page.getByLabel('Sent 1').count()).toBe(0);
  });

  test('Escape closes the settings and restores the focus', async () => {
    await story('idle');
    await page.getByRole('button', { name: 'Settings' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Settings');
  });

  test('ringing while the tab is closed is a switch with an explanation, and is announced if it fails', async () => {
    await story('settings-ringing-failed');
    const ringing = page.getByRole('switch', { name: 'Ring when this tab is closed' });
    expect(await ringing.getAttribute('aria-checked')).toBe('false');
    const explained = await ringing.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${explained}"]`).textContent()).toMatch(/^Calls show a notification/);
    await page.getByRole('alert').getByText('The browser could not subscribe').waitFor();
    await ringing.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('an incoming call is announced immediately', async () => {
    await story('incoming-from-queue');
    const status = page.locator('[aria-live=assertive]');
    expect(await status.textContent()).toBe('Incoming call from Grace Hopper, Sales');
  });

  test('a pressed button keeps its colour on hover', async () => {
    await story('active');
    await page.keyboard.press('k');
    const button = page.getByRole('button', { name: 'Keypad' });
    const colour = () =>
      button.evaluate((element) => getComputedStyle(element.firstElementChild ?? element).backgroundColor);
    await page.mouse.move(0, 0);
    const pressed = await colour();
    await button.hover();
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    expect(await colour()).toBe(pressed);
  });

  test('the call tab is marked on a narrow phone, and its label is not clipped', async () => {
    await story('recent-on-a-call');
    const tab = page.getByRole('navigation').getByRole('button', { name: /Phone/ });
    await tab.getByRole('img', { name: 'On a call' }).waitFor();
    const sizes = await tab.evaluate((element) => ({
      icon: element.querySelector('svg')?.getBoundingClientRect().width,
      overflow: element.scrollWidth - element.clientWidth,
    }));
    expect(sizes).toEqual({ icon: 18, overflow: 0 });
  });

  test('the team’s calls on hold are timed from their answer', async () => {
    await story('team');
    await page.getByText(/^Talking \d+:\d\d · On hold/).waitFor();
  });
}
