/** The life of an agent in a real Chromium: takes what rings, talks with its fake microphone, hangs up. */
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import type { Chance } from '../lib/chance.ts';
import type { Soak } from './lives.ts';
import { TENANT } from './town.ts';

const MICROPHONE_HZ = 1000;
const LOOK_MS = 5_000;

/** Until the soak stops. */
export async function liveInBrowsers(soak: Soak, chance: Chance): Promise<void> {
  const { t, town } = soak;
  if (town.inBrowsers.length === 0) return;
  const browser = await TestBrowser.launch({ microphoneHz: MICROPHONE_HZ });
  const site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef, { tenant: TENANT }));
  try {
    await Promise.all(
      town.inBrowsers.map(async (ref) => {
        const agent = await site.agent(browser, ref, { device: ref });
        await agent.setAvailability('AVAILABLE');
        await live(soak, chance.child(), agent);
      }),
    );
  } finally {
    site.close();
    await browser.close();
  }
}

async function live(soak: Soak, chance: Chance, agent: SdkAgent): Promise<void> {
  while (!soak.stopped) {
    const offer = await agent.nextEvent('incoming', LOOK_MS).catch(() => null);
    if (!offer) continue;
    // The caller may give up at any moment: what the SDK then says is no violation.
    const accepted = await agent.accept(offer.callId).then(
      () => true,
      () => false,
    );
    soak.count(accepted ? 'accept in a browser' : 'accept in a browser: too late');
    await soak.pause(chance.between(500, 6000));
    await agent.hangup(offer.callId).catch(() => undefined);
  }
}
