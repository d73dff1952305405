/**
 * A second realtime or media node beside the first, as a larger installation has on other machines: same database, secrets and store,
 * ports of its own. Media nodes share the range of RTP ports by halves.
 */
import { freePort } from './ports.mjs';

/**
 * @param {{ bind: string, env: Record<string, string> }} settings
 * @param {string[]} wanted of realtime, media
 * @returns {Promise<{ ports: Record<string, number>, shared: Record<string, string>, own: Record<string, Record<string, string>> }>}
 *   `shared` is for every process, `own` for the one it names
 */
export async function secondNodes({ bind, env }, wanted) {
  const reach = bind === '0.0.0.0' ? '127.0.0.1' : bind;
  const ports = {};
  const shared = {};
  const own = {};
  if (wanted.includes('realtime')) {
    ports.realtime2 = await freePort(bind);
    ports.realtimeMetrics2 = await freePort(bind);
    own.realtime2 = {
      CLARION_REALTIME_PORT: String(ports.realtime2),
      CLARION_REALTIME_METRICS_PORT: String(ports.realtimeMetrics2),
    };
    shared.CLARION_REALTIME_URLS = `${env.CLARION_REALTIME_URLS},http://${reach}:${ports.realtime2}`;
  }
  if (wanted.includes('media')) {
    ports.media2 = await freePort(bind);
    ports.webrtc2 = await freePort(bind);
    const [first, last] = env.CLARION_RTP_PORTS.split('-').map(Number);
    const middle = first + 2 * Math.floor((last - first + 1) / 4); // even: pairs of RTP and RTCP stay together
    own.media = { CLARION_RTP_PORTS: `${first}-${middle - 1}` };
    own.media2 = {
      CLARION_MEDIA_PORT: String(ports.media2),
      CLARION_WEBRTC_PORT: String(ports.webrtc2),
      CLARION_RTP_PORTS: `${middle}-${last}`,
    };
  }
  return { ports, shared, own };
}
