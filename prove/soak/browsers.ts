/** A simulated agent in a real Chromium: accepts calls, talks with its fake microphone, hangs up. */
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import type { SeededRandom } from '../lib/seeded-random.ts';
import type { Soak } from './lives.ts';
import { TENANT } from './fixture.ts';

const MICROPHONE_HZ = 1000;
const LOOK_MS = 5_000;

/** Until the soak test stops. */
export async function liveInBrowsers(soak: Soak, random: SeededRandom): Promise<void> {
  const { t, fixture } = soak;
  if (fixture.inBrowsers.length === 0) return;
  const browser = await TestBrowser.launch({ microphoneHz: MICROPHONE_HZ });
  const site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef, { tenant: TENANT }));
  try {
    await Promise.all(
      fixture.inBrowsers.map(async (ref) => {
        const agent = await site.agent(browser, ref, { device: ref });
        await agent.setAvailability('AVAILABLE');
        await live(soak, random.child(), agent);
      }),
    );
  } finally {
    site.close();
    await browser.close();
  }
}

async function live(soak: Soak, random: SeededRandom, agent: SdkAgent): Promise<void> {
  while (!soak.stopped) {
    const offer = await agent
      .watchFor('incoming', { timeoutMs: LOOK_MS })
      .then((seen) => seen())
      .catch(() => null);
    if (!offer) continue;
    // The caller may hang up at any moment, so errors of the SDK are not violations then.
    const accepted = await agent.accept(offer.callId).then(
      () => true,
      () => false,
    );
    soak.count(accepted ? 'accept in a browser' : 'accept in a browser: too late');
    await soak.pause(random.between(500, 6000));
    await agent.hangup(offer.callId).catch(() => undefined);
  }
}
