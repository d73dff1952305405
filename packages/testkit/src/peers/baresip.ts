/**
 * Debian's baresip as a carrier or a phone: SIP over UDP, TCP and TLS, SRTP (libre's own) and G.722 (SpanDSP's), independent of both ours and
 * the test phone. It plays a tone and records what it hears.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@clarion/devkit/settings/free-port';
import { decodeWav, encodeWav, type Sound } from '@clarion/test-phone/audio/wav';
import { sine } from '@clarion/test-phone/audio/goertzel';

const MODULES = '/usr/lib/baresip/modules';
/** Whether baresip is installed where Debian puts it. */
export const hasBaresip = existsSync(MODULES);

export interface BaresipOptions {
  transport: 'udp' | 'tcp' | 'tls';
  /** As baresip names it. */
  codec: 'PCMA/8000/1' | 'PCMU/8000/1' | 'G722/16000/1';
  /** RTP/SAVP with SDES. */
  srtp: boolean;
  toneHz: number;
  /** For TLS, in PEM format. `ca`: what it trusts. */
  certificate?: { key: string; cert: string; ca: string };
}

const WAIT_MS = 10_000;
const POLL_MS = 20;
const TONE_SECONDS = 60;

export class Baresip {
  /** Of the transport. */
  readonly port: number;
  readonly #dir: string;
  readonly #options: BaresipOptions;
  readonly #process: ChildProcess;
  readonly #events = new EventEmitter();
  readonly #types: string[] = [];
  #control: Socket | null = null;
  #log = '';

  private constructor(dir: string, port: number, options: BaresipOptions, process: ChildProcess) {
    this.#dir = dir;
    this.port = port;
    this.#options = options;
    this.#process = process;
    for (const stream of [process.stdout, process.stderr])
      stream?.on('data', (data: Buffer) => (this.#log = (this.#log + data.toString()).slice(-8_000)));
  }

  static async start(options: BaresipOptions): Promise<Baresip> {
    const dir = await mkdtemp(join(tmpdir(), 'clarion-baresip-'));
    const [sip, control, rtp] = [await freePorts(2), await freePorts(1), await freePorts(20)];
    const port = options.transport === 'tls' ? sip + 1 : sip;
    await writeFile(join(dir, 'config'), config(dir, { sip, control, rtp }, options));
    await writeFile(join(dir, 'accounts'), `${account(port, options)}\n`);
    await writeFile(join(dir, 'contacts'), '');
    const sampleRate = options.codec.startsWith('G722') ? 16_000 : 8_000;
    const samples = sine(options.toneHz, sampleRate, sampleRate * TONE_SECONDS);
    await writeFile(join(dir, 'tone.wav'), encodeWav({ sampleRate, samples }));
    if (options.certificate) {
      const { key, cert, ca } = options.certificate;
      await writeFile(join(dir, 'cert.pem'), `${key}${cert}`, { mode: 0o600 });
      await writeFile(join(dir, 'ca.pem'), ca);
    }
    const baresip = new Baresip(
      dir,
      port,
      options,
      spawn('baresip', ['-f', dir, '-v'], { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    try {
      await baresip.#connect(control);
    } catch (error) {
      await baresip.stop();
      throw error;
    }
    return baresip;
  }

  /** Calls a number at a server. */
  dial(number: string, server: { host: string; port: number }): void {
    const { transport } = this.#options;
    this.#command('dial', `sip:${number}@${server.host}:${server.port};transport=${transport}`);
  }

  hangUp(): void {
    this.#command('hangup');
  }

  /** The first event of this type, past or future, such as CALL_ESTABLISHED and CALL_CLOSED. */
  async event(type: string): Promise<void> {
    const signal = AbortSignal.timeout(WAIT_MS);
    while (!this.#types.includes(type)) {
      await once(this.#events, 'event', { signal }).catch(() => {
        throw new Error(`no ${type} of baresip; events: ${this.#types.join(', ')}\n${this.#log}`);
      });
    }
  }

  /** What it heard in its last call, after the end of that call. */
  async heard(): Promise<Sound> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const sound = await this.#recorded();
      // It writes the length when it closes the file, which may be after CALL_CLOSED.
      if (sound.samples.length > 0) return sound;
      if (performance.now() > deadline) throw new Error(`baresip has not closed its recording\n${this.#log}`);
      await sleep(POLL_MS);
    }
  }

  async #recorded(): Promise<Sound> {
    const recorded = (await readdir(this.#dir)).filter((name) => /^dump-.*-dec\.wav$/.test(name)).toSorted();
    const last = recorded.at(-1);
    if (last === undefined) throw new Error(`baresip has recorded nothing\n${this.#log}`);
    return decodeWav(await readFile(join(this.#dir, last)));
  }

  async stop(): Promise<void> {
    this.#control?.destroy();
    if (this.#process.exitCode === null) {
      const exit = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await exit;
    }
    await rm(this.#dir, { recursive: true });
  }

  async #connect(port: number): Promise<void> {
    const signal = AbortSignal.timeout(WAIT_MS);
    while (!this.#log.includes('baresip is ready')) {
      const { stdout } = this.#process;
      if (!stdout) throw new Error('baresip has no output');
      await once(stdout, 'data', { signal }).catch(() => {
        throw new Error(`baresip is not ready\n${this.#log}`);
      });
    }
    const control = connect(port, '127.0.0.1');
    await once(control, 'connect');
    this.#control = control;
    let buffered = Buffer.alloc(0);
    control.on('error', () => undefined);
    control.on('data', (data) => {
      buffered = Buffer.concat([buffered, data]);
      for (let message = netstring(buffered); message; message = netstring(buffered)) {
        buffered = buffered.subarray(message.end);
        const event = JSON.parse(message.text) as { event?: boolean; type?: string };
        if (event.event && event.type !== undefined) this.#types.push(event.type);
        this.#events.emit('event');
      }
    });
  }

  #command(command: string, params = ''): void {
    const text = JSON.stringify({ command, params });
    this.#control?.write(`${text.length}:${text},`);
  }
}

function config(
  dir: string,
  ports: { sip: number; control: number; rtp: number },
  { certificate }: BaresipOptions,
): string {
  return [
    `sip_listen 127.0.0.1:${ports.sip}`,
    ...(certificate ? [`sip_certificate ${dir}/cert.pem`, `sip_cafile ${dir}/ca.pem`] : []),
    `audio_source aufile,${dir}/tone.wav`,
    'audio_alert none',
    'audio_channels 1',
    'net_interface 127.0.0.1',
    `rtp_ports ${ports.rtp}-${ports.rtp + 19}`,
    `module_path ${MODULES}`,
    ...['g711', 'g722', 'srtp', 'aufile', 'sndfile'].map((name) => `module ${name}.so`),
    ...['uuid', 'account'].map((name) => `module_tmp ${name}.so`),
    ...['menu', 'ctrl_tcp'].map((name) => `module_app ${name}.so`),
    `ctrl_tcp_listen 127.0.0.1:${ports.control}`,
    `snd_path ${dir}`,
    // Its jitter buffer discards every packet after a change of SSRC if fewer packets came before than it collects first (baresip 1.0, src/stream.c).
    'jitter_buffer_delay 0-0',
    '',
  ].join('\n');
}

const account = (port: number, { transport, codec, srtp }: BaresipOptions): string =>
  [
    `<sip:carrier@127.0.0.1:${port};transport=${transport}>`,
    'regint=0',
    'answermode=auto',
    `audio_codecs=${codec}`,
    ...(srtp ? ['mediaenc=srtp-mand'] : []),
  ].join(';');

/** `length:text,`; null: incomplete. */
function netstring(data: Buffer): { text: string; end: number } | null {
  const colon = data.indexOf(':');
  const length = colon < 0 ? NaN : Number(data.toString('latin1', 0, colon));
  const end = colon + 1 + length + 1;
  if (Number.isNaN(length) || data.length < end) return null;
  return { text: data.toString('utf8', colon + 1, end - 1), end };
}
