/** Compares the figures of the live board on a page with those of the API: they must agree once nothing changes any more. */
import type { AgentResource } from '@clarion/protocol/v1/tenant/agents';
import type { LiveQueue } from '@clarion/protocol/v1/report/reports';
import type { Page } from 'playwright-core';
import type { TestStack } from '../stack/stack.ts';

const POLL_MS = 250;

/** The differences as text. Compares repeatedly until there are none, for at most `withinMs`. */
export async function boardDifferences(
  t: Pick<TestStack, 'v1'>,
  page: Page,
  { tenant, withinMs }: { tenant: string; withinMs: number },
): Promise<string[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const [told, shown] = [await numbersOfApi(t, tenant), await numbersOfPage(page)];
    const names = new Set([...Object.keys(told), ...Object.keys(shown)]);
    const wrong = [...names].flatMap((name) =>
      told[name] === shown[name] ? [] : [`${name}: the page shows ${shown[name]}, the API has ${told[name]}`],
    );
    if (wrong.length === 0 || performance.now() > deadline) return wrong;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

type Numbers = Record<string, string | number>;

async function numbersOfApi(t: Pick<TestStack, 'v1'>, tenant: string): Promise<Numbers> {
  const at = `/v1/tenants/${tenant}`;
  const live = await t.v1.ok<{ queues: LiveQueue[]; liveCalls: number }>('GET', `${at}/reports/live`);
  const { agents } = await t.v1.ok<{ agents: AgentResource[] }>('GET', `${at}/agents`);
  const queues = live.queues.map(({ queueId, waiting, agents: members }): [string, string] => [
    `queue ${queueId}`,
    `${waiting} waiting, ${members.available} free, ${members.onCall} on a call, ${members.offline} away`,
  ]);
  return {
    'live calls': live.liveCalls,
    waiting: live.queues.reduce((sum, { waiting }) => sum + waiting, 0),
    agents: agents.length,
    'on a call': agents.filter(({ availability }) => availability === 'ON_CALL').length,
    ...Object.fromEntries(queues),
  };
}

/** Reads only the visible text of the page. */
function numbersOfPage(page: Page): Promise<Numbers> {
  return page.evaluate(() => {
    const numberIn = (text: string | null | undefined) => Number(/\d+/.exec(text ?? '')?.[0] ?? 0);
    const figure = (label: string) => {
      const name = [...document.querySelectorAll('div')].find((div) => div.textContent === label);
      return name?.parentElement ?? null;
    };
    const value = (label: string) => numberIn(figure(label)?.children[1]?.textContent);
    const queues = [...document.querySelectorAll<HTMLElement>('[data-queue]')].map((queue) => {
      const [, waiting, members] = queue.querySelectorAll('button > span');
      const [free, onCall, away] = (members?.textContent ?? '').split('·').map(numberIn);
      return [
        `queue ${queue.dataset['queue']}`,
        `${numberIn(waiting?.textContent)} waiting, ${free} free, ${onCall} on a call, ${away} away`,
      ];
    });
    const agents =
      document.querySelector('select[aria-label="Filter by state"]')?.querySelectorAll('option') ?? [];
    const countOf = (words: string) =>
      numberIn([...agents].find((option) => option.textContent?.startsWith(words))?.textContent);
    return {
      'live calls': value('Live calls'),
      waiting: value('Waiting'),
      agents: ['Available', 'Ringing', 'On a call', 'Wrap-up', 'Away'].reduce(
        (sum, words) => sum + countOf(words),
        0,
      ),
      'on a call': countOf('On a call'),
      ...Object.fromEntries(queues),
    } as Record<string, string | number>;
  });
}
