/**
 * Debian's Janus with its audio bridge as a peer: three-party rooms of G.711 at 8 kHz, one plain RTP participant and browsers, controlled
 * with its HTTP API.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSdp } from '@clarion/test-phone/sip/sdp';
import { freePort } from '@clarion/devkit/settings/free-port';
import { terminate } from '@clarion/testkit/peers/terminate';
import type { Ends } from './ends-process.ts';

const PROGRAM = '/usr/bin/janus';
const PLUGIN = 'janus.plugin.audiobridge';
const READY_TRIES = 50;
const EVENT_TRIES = 20;
const SAMPLE_RATE = 8_000;
/** Below the system's ephemeral ports (from 32768). */
const PORTS = { participants: '26000-26999', webrtc: '27000-28999' };
const PCMA = { codec: 'pcma', payloadType: 8 };

export const hasJanus = () => existsSync(PROGRAM);

interface Message {
  janus: string;
  data?: { id: number };
  error?: { reason: string };
  plugindata?: { data: { audiobridge?: string; error?: string; rtp?: { ip: string; port: number } } };
  jsep?: { type: string; sdp: string };
}

export class Janus {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #dir: string;

  private constructor(child: ChildProcess, url: string, dir: string) {
    this.#child = child;
    this.#url = url;
    this.#dir = dir;
  }

  static async start(): Promise<Janus> {
    const port = await freePort();
    const dir = await mkdtemp(join(tmpdir(), 'clarion-janus-'));
    const general = 'debug_level = 1; session_timeout = 0; log_to_stdout = false;';
    const files = {
      'janus.jcfg': `general: { ${general} }\nmedia: { rtp_port_range = "${PORTS.webrtc}" }\n`,
      'janus.transport.http.jcfg': `general: { base_path = "/janus"; http = true; port = ${port}; ip = "127.0.0.1"; json = "compact" }\n`,
      'janus.plugin.audiobridge.jcfg': `general: { rtp_port_range = "${PORTS.participants}"; local_ip = "127.0.0.1" }\n`,
    };
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(dir, name), text)));
    const child = spawn(PROGRAM, [`--configs-folder=${dir}`], { stdio: 'ignore' });
    const janus = new Janus(child, `http://127.0.0.1:${port}/janus`, dir);
    for (let attempt = 0; attempt < READY_TRIES; attempt += 1) {
      if (await fetch(`${janus.#url}/info`).catch(() => null)) return janus;
      await sleep(100);
    }
    await janus.stop();
    throw new Error('janus did not start');
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** A room with a carrier's RTP and `browsers` browsers. */
  async room(ends: Ends, call: number, browsers: number): Promise<void> {
    const carrier = await this.#handle();
    const create = {
      request: 'create',
      room: call,
      sampling_rate: SAMPLE_RATE,
      allow_rtp_participants: true,
    };
    await carrier.ask({ ...create, permanent: false, audiolevel_event: false });
    const port = readSdp(await ends.sdp({ ask: 'port', call }), ['PCMA']);
    const rtp = { ip: port?.address, port: port?.port, payload_type: PCMA.payloadType };
    const join = { request: 'join', room: call, codec: PCMA.codec };
    const joined = await carrier.event({ ...join, display: 'carrier', rtp });
    const at = joined.plugindata?.data.rtp;
    if (!at) throw new Error(`janus: ${joined.plugindata?.data.error ?? 'no RTP for a participant'}`);
    const sdp = `c=IN IP4 ${at.ip}\r\nm=audio ${at.port} RTP/AVP ${PCMA.payloadType}\r\n`;
    await ends.tell({ ask: 'remote', call, sdp });
    for (let leg = 0; leg < browsers; leg += 1) {
      const handle = await this.#handle();
      await handle.event({ ...join, display: `browser ${leg}` });
      const sdp = await ends.sdp({ ask: 'offer', call, leg, bind: outsideAddress() });
      const offer = { type: 'offer', sdp };
      const { jsep } = await handle.event({ request: 'configure', muted: false }, offer);
      await handle.complete();
      await ends.tell({ ask: 'accept', call, leg, sdp: jsep?.sdp ?? '' });
    }
  }

  async stop(): Promise<void> {
    await terminate(this.#child);
    await rm(this.#dir, { recursive: true, force: true });
  }

  /** A separate session for each participant, so that its events are not mixed with those of others. */
  async #handle() {
    const session = `${this.#url}/${(await post(this.#url, { janus: 'create' })).data?.id}`;
    const handle = `${session}/${(await post(session, { janus: 'attach', plugin: PLUGIN })).data?.id}`;
    const ask = (body: object, jsep?: object) =>
      post(handle, { janus: 'message', body, ...(jsep && { jsep }) });
    return {
      ask,
      complete: () => post(handle, { janus: 'trickle', candidate: { completed: true } }),
      /** Sends a request whose result is an event, and skips other events until it arrives. */
      event: async (body: object, jsep?: object): Promise<Message> => {
        await ask(body, jsep);
        for (let attempt = 0; attempt < EVENT_TRIES; attempt += 1) {
          const message = (await (await fetch(session)).json()) as Message;
          if (message.janus !== 'event') continue;
          if (message.plugindata?.data.error) throw new Error(`janus: ${message.plugindata.data.error}`);
          if (jsep ? message.jsep : message.plugindata?.data.audiobridge === 'joined') return message;
        }
        throw new Error('janus did not respond');
      },
    };
  }
}

/** Janus offers browsers no loopback address. Packets to the machine's own address do not leave it either. */
function outsideAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const found = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (!found) throw new Error('janus needs a network interface other than loopback');
  return found;
}

async function post(url: string, message: object): Promise<Message> {
  const body = JSON.stringify({ ...message, transaction: randomUUID() });
  const reply = (await (await fetch(url, { method: 'POST', body })).json()) as Message;
  if (reply.error) throw new Error(`janus: ${reply.error.reason}`);
  if (reply.plugindata?.data.error) throw new Error(`janus: ${reply.plugindata.data.error}`);
  return reply;
}
