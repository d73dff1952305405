/**
 * mediasoup's workers: each with one router, one WebRtcServer (one UDP and TCP port for every browser of that worker) and one
 * DirectTransport, through which our own audio enters and leaves. All legs of a call live on one worker. A worker that dies
 * takes its calls with it; a new one starts in its place.
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
 * One socket carries every agent of a worker: 200 calls are 10,000 packets a second, and the kernel's usual 208 kB are full after a pause
 * of 20 ms. Linux gives at most net.core.rmem_max and says nothing when that is less.
 */
const UDP_BUFFER_BYTES = 4 * 1024 * 1024;
/** A worker that dies at once is not restarted in a tight loop. */
const RESTART_DELAY_MS = 1_000;

/**
 * Telephone events are declared to mediasoup as codecs that are otherwise unused, because its consumers forward only "media codecs",
 * and telephone-event is not one. A consumer with only these codecs gets the keys and not the audio. There are two, because a far end may
 * send events under the payload type we offered and under the one it answered.
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
 * RTP that came and went nowhere: no producer has its SSRC; the producer that has it begins a stream with its first codec only, and this
 * is another (which one, mediasoup does not say); or the producer has no such codec (whose it is, it does not say).
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
  /** Of the first worker; each further one takes the next port. 0 lets the system choose. */
  webRtcPort: number;
  log: Logger;
  /** Told for every packet. */
  onDropped: (worker: MediaWorker, dropped: DroppedPacket) => void;
  onDeath: (worker: MediaWorker) => void;
}

/** Where the worker built by tools/mediasoup-worker is cached. */
function cachedWorker(): string | undefined {
  const path = join(
    homedir(),
    '.cache/clarion',
    `mediasoup-worker-${mediasoup.version}-${process.arch}`,
    'mediasoup-worker',
  );
  return existsSync(path) ? path : undefined;
}

/** Of RTC/Transport.cpp and RTC/Producer.cpp, mediasoup 3. */
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

  /** The least loaded worker; give it back with `release`. Throws when none runs. */
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
    const worker = await mediasoup.createWorker({
      logLevel: 'warn',
      logTags: ['rtp'],
      ...(bin === undefined ? {} : { workerBin: bin }),
    });
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

function parseDropped(warning: string): DroppedPacket | null {
  const unknown = UNKNOWN_SSRC.exec(warning);
  if (unknown) return { reason: 'unknown-ssrc', ssrc: Number(unknown[1]), payloadType: Number(unknown[2]) };
  const streamless = NO_STREAM.exec(warning);
  if (streamless) return { reason: 'no-stream', ssrc: Number(streamless[1]) };
  const codec = UNKNOWN_CODEC.exec(warning);
  return codec && { reason: 'unknown-codec', payloadType: Number(codec[1]) };
}
