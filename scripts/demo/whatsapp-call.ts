/** `npm run call -- --whatsapp`: the simulator's customer calls the demo account's WhatsApp line over real WebRTC audio. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demo, type DemoFile } from '@clarion/core/demo-account';
import type { CallView, Heard, JournalEntry } from '@clarion/meta-simulator';
import { endText, heardText, progressText, wasAnswered } from './whatsapp-report.ts';

const GREETING = resolve(import.meta.dirname, '../../packages/testkit/assets/greeting.wav');
const POLL_MS = 500;
/** The simulator measures the last second. */
const HEARD_WINDOW_MS = 1_000;
const HTTP_TIMEOUT_MS = 15_000;

export interface WhatsAppCallOptions {
  say: (line: string) => void;
  /** What the customer plays: a WAV file, or the frequency of a tone. */
  play: { path: string } | { hz: number } | null;
  /** Registers what hangs up. */
  onStop: (hangUp: () => void) => void;
}

/** @returns the exit code: 0 if the call was answered */
export async function callOverWhatsApp(options: WhatsAppCallOptions): Promise<number> {
  try {
    return await placeCall(options);
  } catch (error) {
    options.say(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

async function placeCall({ say, play, onStop }: WhatsAppCallOptions): Promise<number> {
  const { env } = process;
  const url = `http://127.0.0.1:${env.CLARION_META_SIMULATOR_CONTROL_PORT ?? '4621'}`;
  const control = <T>(path: string, body?: object) => request<T>(`${url}${path}`, {}, body);
  const { number: customer, name } = demo.whatsapp.customers.command;
  const problem = await control('/state').then(
    () => null,
    () => whyNot(env, url),
  );
  if (problem !== null) {
    say(problem);
    return 1;
  }
  const audio = play === null ? { path: GREETING } : play;
  await control(
    `/customers/${customer}/audio`,
    'hz' in audio ? { kind: 'tone', ...audio } : { kind: 'file', path: resolve(audio.path) },
  );
  const ended = new AbortController();
  let callId = '';
  void journalOf(url, ended.signal, (entry) => {
    const line = progressText(entry, callId);
    if (line !== null) say(line);
  });
  const { address, displayName } = demo.whatsapp;
  say(`calling ${displayName} (${address}) over WhatsApp as ${name}, +${customer} (press Ctrl-C to hang up)`);
  // The service may create the call before the simulator responds.
  const placedAt = Date.now();
  let call = await control<CallView>('/calls', { customer });
  callId = call.id;
  const ofCall = `/calls/${encodeURIComponent(callId)}`;
  onStop(() => {
    say('hanging up');
    void control(`${ofCall}/hang-up`, {}).catch(() => undefined); // it may have ended just now
  });

  const account = accountOf(env);
  let agent: string | null | undefined = account === null ? undefined : null;
  let heard: string | null = null;
  let accepted = false;
  while (call.state !== 'ended') {
    await sleep(POLL_MS);
    if (call.state === 'accepted' && !accepted) {
      accepted = true;
      say(account === null ? 'answered' : 'connected, waiting for an agent');
    }
    if (account !== null && agent === null) {
      agent = await account.agentOf(customer, placedAt);
      if (agent !== null) {
        say(`answered by ${agent}`);
        heard = null; // what was heard so far was the queue
        await sleep(HEARD_WINDOW_MS);
      }
    }
    const now = heardText(await control<Heard>(`${ofCall}/heard`));
    if (now !== null && heard === null) say(`heard ${now}`);
    heard = now ?? heard;
    call = await control<CallView>(ofCall);
  }
  const outcome = { call, agent, heard };
  say(endText(outcome));
  if (!wasAnswered(outcome) && call.acceptedAt !== null) say('no agent answered: is an agent’s phone open?');
  ended.abort();
  return wasAnswered(outcome) ? 0 : 1;
}

function whyNot(env: NodeJS.ProcessEnv, url: string): string {
  if (env.CLARION_META_SIMULATOR === '1') {
    return `is Clarion running? The simulator of WhatsApp does not respond at ${url}`;
  }
  return 'the simulator of WhatsApp is off: it runs in trial mode only, and not if CLARION_GRAPH_URL or a CLARION_WHATSAPP_ setting is set';
}

async function request<T>(url: string, headers: Record<string, string>, body?: object): Promise<T> {
  const response = await fetch(url, {
    headers,
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(HTTP_TIMEOUT_MS),
  });
  const answer = (await response.json()) as T & { error?: { message?: string } };
  if (!response.ok) throw new Error(answer.error?.message ?? `${url}: HTTP ${response.status}`);
  return answer;
}

/** The journal from now on, as server-sent events. Ends with the signal. */
async function journalOf(
  url: string,
  signal: AbortSignal,
  take: (entry: JournalEntry) => void,
): Promise<void> {
  try {
    const response = await fetch(`${url}/events`, { signal });
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines)
        if (line.startsWith('data: ')) take(JSON.parse(line.slice('data: '.length)) as JournalEntry);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Account {
  /** The name of the agent who talks with the customer in the newest call; null if nobody does. */
  agentOf(customer: string, since: number): Promise<string | null>;
}

interface ApiCall {
  agentRef: string | null;
  status: string;
  createdAt: string;
  answeredAt: string | null;
  customer: { address: string | null };
}

/** The demo account's API; null if its key cannot be read. */
function accountOf(env: NodeJS.ProcessEnv): Account | null {
  let file: DemoFile;
  try {
    file = JSON.parse(
      readFileSync(join(env.CLARION_DATA_DIR ?? '.clarion', 'demo.json'), 'utf8'),
    ) as DemoFile;
  } catch {
    return null;
  }
  const url = `${file.baseUrl}/v1/tenants/${file.tenantRef}/calls?channel=WHATSAPP&limit=5`;
  return {
    agentOf: async (customer, since) => {
      const { calls } = await request<{ calls: ApiCall[] }>(url, { authorization: `Bearer ${file.apiKey}` });
      const own = calls.find(
        (each) => each.customer.address?.endsWith(customer) && Date.parse(each.createdAt) >= since,
      );
      if (!own?.answeredAt || own.agentRef === null) return null;
      return demo.agents.find(({ ref }) => ref === own.agentRef)?.name ?? own.agentRef;
    },
  };
}
