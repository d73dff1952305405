/** A running simulator with one business number and one customer, its webhook, and a client of the Graph API. */
import { startMetaSimulator, silentMedia, type MetaSimulator } from '../src/index.ts';
import type { MetaSimulatorOptions } from '../src/options.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

export const NUMBER = '436666719526789';
export const WABA = '366634483210360';
export const CUSTOMER = '12185552828';
export const USER_ID = 'US.13491208655302741918';
const TOKEN = 'EAAB-test';
const APP_SECRET = 'app secret';

export interface GraphResponse {
  readonly status: number;
  readonly body: {
    readonly error?: {
      code: number;
      error_subcode?: number;
      message: string;
      type: string;
      fbtrace_id: string;
      error_data?: { details: string };
    };
    readonly calls?: { id: string }[];
    readonly success?: boolean;
    readonly permission?: { status: string };
    readonly actions?: { can_perform_action: boolean }[];
    readonly [name: string]: unknown;
  };
}

export interface Scene {
  readonly simulator: MetaSimulator;
  readonly control: MetaSimulator['control'];
  readonly receiver: WebhookReceiver;
  readonly graph: (
    method: string,
    path: string,
    body?: object | string,
    token?: string | null,
  ) => Promise<GraphResponse>;
  readonly calls: (body: object) => Promise<GraphResponse>;
  /** Calls the customer, who has given permission; the ID of the call. */
  readonly connect: (more?: object) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function openScene(options: Partial<MetaSimulatorOptions> = {}): Promise<Scene> {
  const receiver = new WebhookReceiver(APP_SECRET, 'verify me');
  const simulator = await startMetaSimulator({
    webhookUrl: await receiver.listen(),
    appSecret: APP_SECRET,
    verifyToken: 'verify me',
    accessTokens: [TOKEN],
    numbers: [{ phoneNumberId: NUMBER, wabaId: WABA, displayPhoneNumber: '13175551399' }],
    customers: [{ waId: CUSTOMER, userId: USER_ID, name: 'Ana' }],
    port: 0,
    controlPort: 0,
    media: silentMedia(),
    ...options,
  });
  const graph: Scene['graph'] = async (method, path, body, token = TOKEN) => {
    const response = await fetch(`${simulator.url}/v23.0${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as GraphResponse['body'] };
  };
  const calls: Scene['calls'] = (body) =>
    graph('POST', `/${NUMBER}/calls`, { messaging_product: 'whatsapp', ...body });
  return {
    simulator,
    control: simulator.control,
    receiver,
    graph,
    calls,
    connect: async (more = {}) => {
      const { body } = await calls({ action: 'connect', to: CUSTOMER, session: offer, ...more });
      return body.calls?.[0]?.id ?? '';
    },
    close: async () => {
      await simulator.close();
      await receiver.close();
    },
  };
}

const sdp = (setup: string): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE audio',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111 126',
    'c=IN IP4 0.0.0.0',
    'a=mid:audio',
    'a=ice-ufrag:abcd',
    'a=ice-pwd:abcdefghijklmnopqrstuv',
    `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
    `a=setup:${setup}`,
    'a=rtcp-mux',
    'a=rtpmap:111 opus/48000/2',
    'a=rtpmap:126 telephone-event/8000',
    '',
  ].join('\r\n');

export const offer = { sdp_type: 'offer', sdp: sdp('actpass') };
export const answer = { sdp_type: 'answer', sdp: sdp('active') };
