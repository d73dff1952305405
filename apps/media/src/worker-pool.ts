/**
 * mediasoup's workers, each with one router, one WebRtcServer (one UDP and TCP port for all browsers of the worker) and
 * one DirectTransport for our own audio. All legs of a call are on one worker. When a worker dies its calls end, and a
 * new worker starts in its place.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as mediasoup from 'mediasoup';
import type { types } from 'mediasoup';
import type { Logger } from 'pino';
import { raisePriority } from './priority.ts';
import { LAW_PAYLOAD_TYPE } from './rtp/g711.ts';

/**
 * One socket serves all agents of a worker. 200 calls are 10,000 packets a second, which fill the kernel's default of
 * 208 kB in a pause of 20 ms. Linux silently limits the size to net.core.rmem_max.
 */
const UDP_BUFFER_BYTES = 4 * 1024 * 1024;
/** Prevents a tight restart loop if a worker dies immediately. */
const RESTART_DELAY_MS = 1_000;
/** For which mediasoup adds listeners. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Telephone events are declared to mediasoup as codecs that are otherwise unused, because its consumers forward only
 * "media codecs" and telephone-event is not one. A consumer with only these codecs receives the events without the
 * audio. There are two, because a remote party may send events with the payload type that we offered and with the one
 * that it answered.
 */
export const EVENT_CODECS: types.RtpCodecCapability[] = ['iLBC', 'G722'].map((name, index) => ({
  kind: 'audio',
  mimeType: `audio/${name}`,
  clockRate: 8_000,
  preferredPayloadType: 101 + index,
}));
export const VOICE_CODECS: types.RtpCodecCapability[] = (['PCMU', 'PCMA'] as const).map((law) => ({
  kind: 'audio',
  mimeType: `audio/${law}`,
  clockRate: 8_000,
  preferredPayloadType: LAW_PAYLOAD_TYPE[law],
}));

export interface MediaWorker {
  readonly worker: types.Worker;
  readonly router: types.Router;
  readonly webRtcServer: types.WebRtcServer;
  readonly direct: types.DirectTransport;
}

/**
 * RTP that mediasoup dropped. unknown-ssrc: no producer has the SSRC. no-stream: the producer starts its stream only at
 * a packet of its first codec, and this is another (mediasoup does not report which). unknown-codec: the producer has
 * no such codec (mediasoup does not report which producer).
 */
export type DroppedPacket =
  | { reason: 'unknown-ssrc'; ssrc: number; payloadType: number }
  | { reason: 'no-stream'; ssrc: number }
  | { reason: 'unknown-codec'; payloadType: number };

export interface WorkerPoolOptions {
  bin: string | undefined;
  count: number;
  bindAddress: string;
  announcedAddress: string;
  /** Port of the first worker; each further worker uses the next one. 0: the system chooses. */
  webRtcPort: number;
  log: Logger;
  /** Called for every dropped packet. */
  onDropped: (worker: MediaWorker, dropped: DroppedPacket) => void;
  onDeath: (worker: MediaWorker) => void;
}

/** The path at which tools/mediasoup-worker caches its build. */
function cachedWorker(): string | undefined {
  const path = join(
    homedir(),
    '.cache/clarion',
    `mediasoup-worker-${mediasoup.version}-${process.arch}`,
    'mediasoup-worker',
  );
  return existsSync(path) ? path : undefined;
}

/** Warnings of RTC/Transport.cpp and RTC/Producer.cpp of mediasoup 3. */
const UNKNOWN_SSRC = /no suitable Producer for received RTP packet \[ssrc:(\d+), payloadType:(\d+)/;
const NO_STREAM = /no stream found for received packet \[ssrc:(\d+)/;
const UNKNOWN_CODEC = /unknown payload type \[payloadType:(\d+)/;
const WORKER_PID = /\[pid:(\d+)/;

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  #workers: MediaWorker[] = [];
  #load = new Map<MediaWorker, number>();
  #restarts = new Set<NodeJS.Timeout>();
  #closed = false;

  private constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  static async start(options: WorkerPoolOptions): Promise<WorkerPool> {
    const pool = new WorkerPool(options);
    mediasoup.setLogEventListeners({
      onwarn: (_namespace, text) => pool.#warned(text),
      onerror: (namespace, text) => options.log.error({ namespace }, text),
    });
    for (let index = 0; index < options.count; index += 1) await pool.#startWorker(index);
    return pool;
  }

  get size(): number {
    return this.#workers.length;
  }

  /** Returns the least loaded worker; release it with `release`. Throws if none is running. */
  acquire(): MediaWorker {
    const [best] = [...this.#workers].sort((a, b) => (this.#load.get(a) ?? 0) - (this.#load.get(b) ?? 0));
    if (!best) throw new Error('no media worker is running');
    this.#load.set(best, (this.#load.get(best) ?? 0) + 1);
    return best;
  }

  release(worker: MediaWorker): void {
    this.#load.set(worker, Math.max(0, (this.#load.get(worker) ?? 0) - 1));
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    this.#restarts.clear();
    for (const { worker } of this.#workers) worker.close();
    this.#workers = [];
    mediasoup.setLogEventListeners(undefined);
  }

  async #startWorker(index: number): Promise<void> {
    const { bindAddress, announcedAddress, webRtcPort, log } = this.#options;
    const bin = this.#options.bin ?? cachedWorker();
    const worker = await withoutSignalListeners(() =>
      mediasoup.createWorker({
        logLevel: 'warn',
        logTags: ['rtp'],
        ...(bin === undefined ? {} : { workerBin: bin }),
      }),
    );
    raisePriority(worker.pid, log);
    const port = webRtcPort === 0 ? 0 : webRtcPort + index;
    const listen = {
      ip: bindAddress,
      ...(announcedAddress === bindAddress ? {} : { announcedAddress }),
      ...(port === 0 ? {} : { port }),
    };
    const webRtcServer = await worker.createWebRtcServer({
      listenInfos: [
        { protocol: 'udp', ...listen, recvBufferSize: UDP_BUFFER_BYTES, sendBufferSize: UDP_BUFFER_BYTES },
        { protocol: 'tcp', ...listen },
      ],
    });
    const router = await worker.createRouter({ mediaCodecs: [...VOICE_CODECS, ...EVENT_CODECS] });
    const direct = await router.createDirectTransport();
    const started: MediaWorker = { worker, router, webRtcServer, direct };
    worker.once('died', (error) => this.#died(started, index, error));
    if (this.#closed) worker.close();
    else this.#workers.push(started);
    log.info({ pid: worker.pid, index }, 'media worker started');
  }

  #died(died: MediaWorker, index: number, error: Error): void {
    this.#options.log.error({ pid: died.worker.pid, message: error.message }, 'media worker died');
    this.#workers = this.#workers.filter((one) => one !== died);
    this.#load.delete(died);
    this.#options.onDeath(died);
    this.#restart(index);
  }

  #restart(index: number): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#startWorker(index).catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'failed to start a media worker');
        this.#restart(index);
      });
    }, RESTART_DELAY_MS);
    this.#restarts.add(timer);
  }

  #warned(text: string): void {
    const dropped = parseDropped(text);
    if (!dropped) {
      this.#options.log.debug(text);
      return;
    }
    const pid = Number(WORKER_PID.exec(text)?.[1]);
    for (const one of this.#workers) {
      if (Number.isNaN(pid) || one.worker.pid === pid) this.#options.onDropped(one, dropped);
    }
  }
}

/** mediasoup would close its worker on SIGTERM, and with it the audio of the calls for whose end a stopping node waits (drain.ts). */
async function withoutSignalListeners<T>(createWorker: () => Promise<T>): Promise<T> {
  const before = SIGNALS.map((signal) => process.rawListeners(signal));
  const created = await createWorker();
  for (const [index, signal] of SIGNALS.entries()) {
    for (const listener of process.rawListeners(signal)) {
      if (!before[index]?.includes(listener)) process.removeListener(signal, listener as () => void);
    }
  }
  return created;
}

function parseDropped(warning: string): DroppedPacket | null {
  const unknown = UNKNOWN_SSRC.exec(warning);
  if (unknown) return { reason: 'unknown-ssrc', ssrc: Number(unknown[1]), payloadType: Number(unknown[2]) };
  const streamless = NO_STREAM.exec(warning);
  if (streamless) return { reason: 'no-stream', ssrc: Number(streamless[1]) };
  const codec = UNKNOWN_CODEC.exec(warning);
  return codec && { reason: 'unknown-codec', payloadType: Number(codec[1]) };
}
