/**
 * A second realtime or media node, as larger installations have on other machines: the same database, secrets and store, but separate
 * ports. The range of RTP ports is divided between the two media nodes.
 */
import { freePort } from '../settings/free-port.ts';
import { reachableAt, type Settings } from '../settings/settings.ts';
import { APP_NAMES, type AppName } from './process-names.ts';

export type SecondNode = 'realtime' | 'media';
export type SecondPort = 'realtime2' | 'realtimeMetrics2' | 'media2' | 'webrtc2';

/** Variables for single processes. */
export type OwnEnv = Partial<Record<AppName, Record<string, string>>>;

export interface SecondNodes {
  ports: Partial<Record<SecondPort, number>>;
  /** Variables for every process. */
  shared: Record<string, string>;
  own: OwnEnv;
}

export function withOwnEnv(second: SecondNodes, more: OwnEnv): SecondNodes {
  const own: OwnEnv = { ...second.own };
  for (const name of APP_NAMES) if (more[name]) own[name] = { ...own[name], ...more[name] };
  return { ...second, own };
}

export async function secondNodes(
  { bind, env }: Settings,
  wanted: readonly SecondNode[],
): Promise<SecondNodes> {
  const realtime = wanted.includes('realtime') ? await secondRealtime(bind, env) : undefined;
  const media = wanted.includes('media') ? await secondMedia(bind, env) : undefined;
  return {
    ports: { ...realtime?.ports, ...media?.ports },
    shared: { ...realtime?.shared },
    own: { ...realtime?.own, ...media?.own },
  };
}

async function secondRealtime(bind: string, env: Record<string, string>) {
  const realtime2 = await freePort(bind);
  const realtimeMetrics2 = await freePort(bind);
  return {
    ports: { realtime2, realtimeMetrics2 },
    own: {
      realtime2: {
        CLARION_REALTIME_PORT: String(realtime2),
        CLARION_REALTIME_METRICS_PORT: String(realtimeMetrics2),
      },
    },
    shared: {
      CLARION_REALTIME_URLS: `${env['CLARION_REALTIME_URLS']},http://${reachableAt(bind)}:${realtime2}`,
    },
  };
}

async function secondMedia(bind: string, env: Record<string, string>) {
  const media2 = await freePort(bind);
  const webrtc2 = await freePort(bind);
  const [first = 0, last = 0] = (env['CLARION_RTP_PORTS'] ?? '').split('-').map(Number);
  const middle = first + 2 * Math.floor((last - first + 1) / 4); // even: pairs of RTP and RTCP stay together
  return {
    ports: { media2, webrtc2 },
    own: {
      media: { CLARION_RTP_PORTS: `${first}-${middle - 1}` },
      media2: {
        CLARION_MEDIA_PORT: String(media2),
        CLARION_WEBRTC_PORT: String(webrtc2),
        CLARION_RTP_PORTS: `${middle}-${last}`,
      },
    },
  };
}
