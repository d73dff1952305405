/** The phones and browsers that push notifications wake in tests: devices at simulated push services, and the account's credentials there. */
import { generateKeyPairSync } from 'node:crypto';
import { pushPayload, type PushPayload } from '@clarion/protocol/push-payload';
import { startPushSimulator, type PushSimulator } from '@clarion/push-simulator';
import type { V1Client } from '../stack/v1-client.ts';

const APNS_KEY = { keyId: 'ABC123DEFG', teamId: 'TEAM123456', bundleId: 'com.example.phone' };
const GOOGLE = { projectId: 'phone-tests', clientEmail: 'push@phone-tests.iam.gserviceaccount.com' };
const ONESIGNAL = { appId: '6f1d3c1e-8a5b-4c7d-9e2f-0a1b2c3d4e5f', apiKey: 'os_v2_app_secret' };
const WAIT_MS = 10_000;

export type DeviceKind = 'ANDROID' | 'IPHONE' | 'IPHONE_BANNER' | 'BROWSER';

/** A push notification about a call. */
export type CallPush = Exclude<PushPayload, { type: 'test' }>;

export interface PushDevice {
  deviceId: string;
  token: string;
  /** What the device received as push notification number `count`, past or future. */
  received(count?: number): Promise<CallPush>;
  /** How many it has received until now. */
  count(): number;
}

export class PushDevices {
  readonly simulator: PushSimulator;
  readonly #appleKey: string;
  readonly #googleKey: string;

  private constructor(simulator: PushSimulator, appleKey: string, googleKey: string) {
    this.simulator = simulator;
    this.#appleKey = appleKey;
    this.#googleKey = googleKey;
  }

  static async start(): Promise<PushDevices> {
    const pem = { type: 'pkcs8', format: 'pem' } as const;
    const apple = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export(pem).toString();
    const google = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();
    const { keyId, teamId, bundleId } = APNS_KEY;
    const simulator = await startPushSimulator({
      apnsKeys: [{ keyId, teamId, key: apple, bundleIds: [bundleId] }],
      serviceAccounts: [{ ...GOOGLE, key: google }],
      oneSignalApps: [ONESIGNAL],
    });
    return new PushDevices(simulator, apple, google);
  }

  /** The settings of processes that send push notifications. */
  get env(): Record<string, string> {
    const { apns, apnsSandbox, fcm, onesignal } = this.simulator.urls;
    return {
      CLARION_APNS_URL: apns,
      CLARION_APNS_SANDBOX_URL: apnsSandbox,
      CLARION_FCM_URL: fcm,
      CLARION_ONESIGNAL_URL: onesignal,
    };
  }

  /** The account's credentials, as the bodies of PUT /v1/push-credentials/{provider}. */
  get credentials() {
    return {
      apns: {
        key_p8: this.#appleKey,
        key_id: APNS_KEY.keyId,
        team_id: APNS_KEY.teamId,
        bundle_id: APNS_KEY.bundleId,
      },
      fcm: {
        service_account: {
          type: 'service_account',
          project_id: GOOGLE.projectId,
          client_email: GOOGLE.clientEmail,
          private_key: this.#googleKey,
          token_uri: this.simulator.urls.token,
        },
      },
      onesignal: { app_id: ONESIGNAL.appId, api_key: ONESIGNAL.apiKey },
      webpush: { subject: 'mailto:ops@example.com' },
    };
  }

  /** Sets the account's credentials at every push service. */
  async setCredentials(v1: V1Client): Promise<void> {
    for (const [provider, body] of Object.entries(this.credentials))
      await v1.ok('PUT', `/v1/push-credentials/${provider}`, body);
  }

  /** Signs the agent in on a new device. */
  async register(
    v1: V1Client,
    { tenant, agent, deviceId, kind }: { tenant: string; agent: string; deviceId: string; kind: DeviceKind },
  ): Promise<PushDevice> {
    const token = await this.#newToken(v1, kind);
    await v1.ok('PUT', `/v1/tenants/${tenant}/agents/${agent}/push-tokens/${deviceId}`, {
      ...registrations[kind],
      token,
    });
    const { simulator } = this;
    return {
      deviceId,
      token,
      async received(count = 1) {
        const all = await simulator.received(token, count, WAIT_MS);
        const payload = pushPayload.parse(all[count - 1]?.data);
        if (payload.type === 'test') throw new Error('the device received a test push notification');
        return payload;
      },
      count: () => simulator.inbox(token).length,
    };
  }

  /** The token that Firebase gives to the app. */
  newAndroidToken(): string {
    return this.simulator.fcm.addDevice(GOOGLE.projectId);
  }

  async #newToken(v1: V1Client, kind: DeviceKind): Promise<string> {
    if (kind === 'IPHONE') return this.simulator.apns.addDevice({ bundleId: APNS_KEY.bundleId });
    if (kind !== 'BROWSER') return this.newAndroidToken();
    const { pushCredentials } = await v1.ok<{ pushCredentials: { publicKey: string } }>(
      'GET',
      '/v1/push-credentials/webpush',
    );
    return JSON.stringify(this.simulator.webPush.subscribe(pushCredentials.publicKey));
  }

  close(): Promise<void> {
    return this.simulator.close();
  }
}

const registrations: Record<DeviceKind, { platform: string; provider: string }> = {
  ANDROID: { platform: 'ANDROID', provider: 'FCM' },
  IPHONE: { platform: 'IOS', provider: 'APNS_VOIP' },
  IPHONE_BANNER: { platform: 'IOS', provider: 'FCM' },
  BROWSER: { platform: 'WEB', provider: 'WEB_PUSH' },
};
