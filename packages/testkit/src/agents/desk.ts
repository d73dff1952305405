/** A tenant of its own with one agent in Chromium, for calls of one test file that take place at the same time. */
import { openCallCentre, type CallCentreFixture } from '../stack/call-centre.ts';
import type { TestStack } from '../stack/stack.ts';
import type { TestBrowser } from './browser.ts';
import { SdkSite, type SdkAgent } from './sdk-page.ts';

export interface Desk extends CallCentreFixture {
  /** AVAILABLE. */
  ada: SdkAgent;
  /** Closes the page. */
  close(): Promise<void>;
}

let desks = 0;

export async function openDesk(t: TestStack, browser: TestBrowser): Promise<Desk> {
  desks += 1;
  const tenant = `desk${desks}`;
  const centre = await openCallCentre(t, { tenant });
  const site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef, { tenant }));
  const ada = await site.agent(browser, 'ada', { device: 'laptop' });
  await ada.setAvailability('AVAILABLE');
  return {
    ...centre,
    ada,
    async close() {
      await ada.browserPage.close();
      site.close();
    },
  };
}
