/** A media node in the test process, with the embedded SIP gateway and a realtime node that the test controls. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pino from 'pino';
import type { DialAttempt, MediaCommandPayload, TrunkTarget } from '@clarion/protocol/media';
import { startSipGateway, type SipGateway, type SipGatewayOptions } from '@clarion/sip-gateway';
import { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { rtpPortRange } from '@clarion/testkit/stack/rtp-ports';
import { envSchema } from '../../src/env.ts';
import { startMediaNode, type MediaNode, type MediaNodeOverrides } from '../../src/media-node.ts';
import type { RecordSettings } from '../../src/record/recorder.ts';
import { FakeRealtime } from './fake-realtime.ts';

const SECRET = 'test-secret';
const RTP_PORTS = 200;

type Dial = MediaCommandPayload<'carrier:dial'>;
/** What a test changes in a call to a carrier. */
export type DialChange = Partial<Omit<Dial, 'attempts'> & Omit<DialAttempt, 'trunk'>> & {
  trunk?: Partial<TrunkTarget>;
};

/** A carrier at this port of 127.0.0.1, over UDP and without an account. */
export const testTrunk = (port: number, change: Partial<TrunkTarget> = {}): TrunkTarget => ({
  trunkId: 1,
  host: '127.0.0.1',
  port,
  transport: 'UDP',
  destinations: [],
  useSrv: false,
  username: null,
  password: null,
  sourceCidrs: [],
  codecs: ['PCMA', 'PCMU'],
  srtp: false,
  identity: {
    fromDomain: null,
    fromUser: null,
    userPhone: false,
    assertedIdentity: true,
    hideCallerId: false,
  },
  noEarlyMedia: false,
  callsPerSecond: null,
  localEndpointOnly: false,
  ...change,
});

type Answers = NonNullable<MediaCommandPayload<'agent:connect'>['answers']>;

export class MediaFixture {
  gateway: SipGateway;
  readonly realtime: FakeRealtime;
  readonly media: MediaNode;
  readonly #dataDir: string;
  #nextCall = 1;
  #nextRevision = 1;
  #gatewayGone = false;

  private constructor(gateway: SipGateway, realtime: FakeRealtime, media: MediaNode, dataDir: string) {
    this.#dataDir = dataDir;
    this.gateway = gateway;
    this.realtime = realtime;
    this.media = media;
  }

  static async start(
    overrides: MediaNodeOverrides = {},
    moreRealtime: string[] = [],
    settings: Record<string, string> = {},
    log = pino({ level: process.env.MEDIA_TEST_LOG ?? 'silent' }),
    moreGateway: Partial<SipGatewayOptions> = {},
  ): Promise<MediaFixture> {
    const gateway = await startSipGateway({
      secret: SECRET,
      sipPort: 0,
      controlPort: 0,
      log,
      ...moreGateway,
    });
    const realtime = await FakeRealtime.start();
    const { first, last } = rtpPortRange(RTP_PORTS);
    const dataDir = await mkdtemp(join(tmpdir(), 'clarion-media-'));
    const env = envSchema.parse({
      CLARION_DATA_DIR: dataDir,
      CLARION_MEDIA_PORT: '0',
      CLARION_WEBRTC_PORT: '0',
      CLARION_RTP_PORTS: `${first}-${last}`,
      CLARION_REALTIME_URLS: [realtime.url, ...moreRealtime].join(','),
      CLARION_MEDIA_SECRET: SECRET,
      CLARION_NODE_ID: 'media-test',
      DRACHTIO_PORT: String(gateway.controlPort),
      DRACHTIO_SECRET: SECRET,
      // The remote parties are on loopback.
      CLARION_PRODUCTION: '0',
      CLARION_ALLOW_PRIVATE_EGRESS: '1',
      ...settings,
    });
    const media = await startMediaNode(env, log, overrides);
    await realtime.connected();
    return new MediaFixture(gateway, realtime, media, dataDir);
  }

  get sip(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.gateway.sipPort };
  }

  /** SIP over TLS, if the gateway has a certificate. */
  get sips(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.gateway.tlsPort ?? 0 };
  }

  /** Stores audio of 8 kHz samples in the node's store. */
  async putAudio(key: string, samples: Int16Array): Promise<void> {
    const path = join(this.#dataDir, 'store', key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, samples);
  }

  callId(): number {
    return this.#nextCall++;
  }

  /** A file in the node's store. */
  stored(key: string): Promise<Buffer> {
    return readFile(join(this.#dataDir, 'store', key));
  }

  route(callId: number, route: Record<string, object[]>, record?: RecordSettings): Promise<object> {
    return this.realtime.command('call:route', {
      callId,
      revision: this.#nextRevision++,
      route: route as never,
      ...(record && { record }),
    });
  }

  /** Calls a carrier at this port of 127.0.0.1, over UDP and without an account. */
  dial(callId: number, legId: string, port: number, change: DialChange = {}): Promise<object> {
    const { trunk, called = '4930555', caller = '4917111', callerName = null, ...command } = change;
    return this.realtime.command('carrier:dial', {
      callId,
      legId,
      attempts: [{ trunk: testTrunk(port, trunk), called, caller, callerName }],
      ringTimeoutMs: 20_000,
      ...command,
    });
  }

  /** An agent's audio, connected as leg `legId`. */
  async agent(
    callId: number,
    legId: string,
    more: { replaces?: string; as?: 'agent' | 'monitor'; answers?: Answers } = {},
  ): Promise<WebRtcLeg> {
    const leg = new WebRtcLeg('PCMA');
    const sdpOffer = await leg.offer();
    const { sdpAnswer } = await this.realtime.command('agent:connect', {
      callId,
      legId,
      sdpOffer,
      ...more,
    });
    await leg.accept(sdpAnswer);
    // The connection of a leg that answers the customer's is reported with it.
    await this.realtime.fact('leg:connected', more.answers?.legId ?? legId);
    return leg;
  }

  async loseGateway(): Promise<void> {
    if (this.#gatewayGone) return;
    this.#gatewayGone = true;
    await this.gateway.close();
  }

  /** Another one on the same port, to which the node connects by itself. */
  async restartGateway(controlPort: number): Promise<void> {
    const log = pino({ level: 'silent' });
    this.gateway = await startSipGateway({ secret: SECRET, sipPort: 0, controlPort, log });
    this.#gatewayGone = false;
  }

  async close(): Promise<void> {
    await this.media.close();
    await this.realtime.stop();
    await this.loseGateway();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
