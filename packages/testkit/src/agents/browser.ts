/**
 * Debian's headless Chromium with a known tone as its microphone: one browser with many pages, each an agent. What a page hears can be
 * measured for any page (the SDK on a bare page, the demo, the embedded phone).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { installEar } from './browser-ear.ts';
import {
  firstHeardMs,
  measureSteadyTone,
  measureTone,
  sine,
  type SteadyTone,
  type ToneMeasure,
} from '@clarion/test-phone/audio/goertzel';
import { encodeWav } from '@clarion/test-phone/audio/wav';

const EXECUTABLE = '/usr/bin/chromium-headless-shell';
const MICROPHONE_RATE = 48_000;
/** The file is played in a loop. It contains a whole number of periods, so that the loop has no click. */
const MICROPHONE_SECONDS = 10;
const POLL_MS = 100;

const FLAGS = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
  '--allow-loopback-in-peer-connection',
  '--disable-features=WebRtcHideLocalIpsWithMdns',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
  '--force-prefers-reduced-motion', // nothing slides, so that Playwright need not wait until it has
];

export interface Hearing {
  sampleRate: number;
  samples: Int16Array;
}

export class TestBrowser {
  readonly microphoneHz: number;
  readonly browser: Browser;
  readonly #dir: string;

  private constructor(browser: Browser, microphoneHz: number, dir: string) {
    this.browser = browser;
    this.microphoneHz = microphoneHz;
    this.#dir = dir;
  }

  static async launch({ microphoneHz = 1000 } = {}): Promise<TestBrowser> {
    const dir = mkdtempSync(join(tmpdir(), 'clarion-browser-'));
    const microphone = join(dir, 'microphone.wav');
    const samples = sine(microphoneHz, MICROPHONE_RATE, MICROPHONE_RATE * MICROPHONE_SECONDS, {
      amplitude: 10_000,
    });
    writeFileSync(microphone, encodeWav({ sampleRate: MICROPHONE_RATE, samples }));
    const browser = await chromium.launch({
      executablePath: EXECUTABLE,
      headless: true,
      args: [...FLAGS, `--use-file-for-fake-audio-capture=${microphone}`],
    });
    return new TestBrowser(browser, microphoneHz, dir);
  }

  /** Opens a page in a new context (no shared storage), or in `context` for a second tab of the same user. */
  async open(url: string, options: { context?: BrowserContext } = {}): Promise<BrowserPage> {
    const context = options.context ?? (await this.browser.newContext({ permissions: ['microphone'] }));
    const page = await context.newPage();
    await page.addInitScript(installEar);
    const browserPage = new BrowserPage(page, context);
    await page.goto(url);
    return browserPage;
  }

  async close(): Promise<void> {
    await this.browser.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/** Those that `listen` waits for. */
const recordings = new Set<Promise<void>>();

export class BrowserPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console lines and uncaught errors, for the message of a failed test. */
  readonly log: string[] = [];

  constructor(page: Page, context: BrowserContext) {
    this.page = page;
    this.context = context;
    page.on('console', (message) => this.log.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.log.push(`error: ${error.message}`));
  }

  /** Everything heard on the newest remote track since the last `forget`. */
  async hearing(): Promise<Hearing | null> {
    const sound = await this.page.evaluate(() => window.testkitEar.read());
    if (!sound) return null;
    const bytes = Buffer.from(sound.samples, 'base64');
    // A copy, because an Int16Array must begin at an even offset. A loop over every sample would block the process that measures.
    const samples = new Int16Array(new Uint8Array(bytes).buffer);
    return { sampleRate: sound.sampleRate, samples };
  }

  /** Packets that the newest connection has not received, by their sequence numbers. */
  packetsLost(): Promise<number> {
    return this.page.evaluate(() => window.testkitEar.packetsLost());
  }

  /** Discards what was recorded so far. */
  async forget(): Promise<void> {
    await this.page.evaluate(() => window.testkitEar.clear());
  }

  /** Resolves with the recorded time before the tone begins, in ms. Rejects if it is not heard within `withinMs`. */
  async hearsTone(hz: number, { withinMs = 5000 } = {}): Promise<number> {
    const deadline = Date.now() + withinMs;
    let last: ToneMeasure | null = null;
    while (Date.now() < deadline) {
      const hearing = await this.hearing();
      if (hearing) {
        const at = firstHeardMs(hearing.samples, hearing.sampleRate, hz, { forMs: HEARD_FOR_MS });
        if (at !== null) return at;
        last = measureTone(hearing.samples.subarray(-hearing.sampleRate / 5), hearing.sampleRate, hz);
      }
      await this.page.waitForTimeout(POLL_MS);
    }
    throw new Error(
      `the page did not hear ${hz} Hz within ${withinMs} ms: ${describe(last)}\n${this.log.join('\n')}`,
    );
  }

  /** Records for `ms` from now and measures the tone in it. */
  async listen(hz: number, ms: number): Promise<SteadyTone & { recordedMs: number }> {
    await this.forget();
    const recorded = this.#recorded(ms).finally(() => recordings.delete(recorded));
    recordings.add(recorded);
    // Measuring blocks this process, which may be sending what another page records.
    while (recordings.size > 0) await Promise.all(recordings);
    const hearing = await this.hearing();
    if (!hearing) throw new Error(`the page played nothing\n${this.log.join('\n')}`);
    const samples = hearing.samples.subarray(0, (hearing.sampleRate * ms) / 1000);
    return {
      ...measureSteadyTone(samples, hearing.sampleRate, hz),
      recordedMs: (samples.length * 1000) / hearing.sampleRate,
    };
  }

  /** Resolves when `ms` have been recorded, or when that takes too long. */
  async #recorded(ms: number): Promise<void> {
    const deadline = Date.now() + ms + LISTEN_SLACK_MS;
    const length = () => this.page.evaluate(() => window.testkitEar.recordedMs());
    // Only the length is polled: reading seconds of samples ten times a second would itself interrupt the audio.
    while ((await length()) < ms && Date.now() < deadline) await this.page.waitForTimeout(POLL_MS);
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

const LISTEN_SLACK_MS = 5000;
/** How long a tone must be clear. On a busy machine the jitter buffer moves time several times a second, and the phase jumps. */
const HEARD_FOR_MS = 100;

function describe(measure: ToneMeasure | null): string {
  if (!measure) return 'no remote audio';
  return `${measure.hz} Hz, ${measure.overRestDb.toFixed(1)} dB over the rest, level ${measure.levelDb.toFixed(0)} dB`;
}
