/** Debian's kamailio as a stateful proxy: 404 for a number that does not exist, and whole calls to another party. */
import { startKamailio, type Kamailio } from '@clarion/testkit/peers/kamailio';
import { startAnswerer } from './sipp.ts';

/** `rule`: what becomes of an INVITE. */
const route = (rule: string) => `
  if (has_totag()) {
    loose_route(); # sipp's answerer copies no Record-Route; the Request-URI then leads to it
    if (is_method("ACK") && t_check_trans()) exit;
    t_relay();
    exit;
  }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (is_method("ACK")) { t_check_trans(); exit; }
  ${rule}`;

/** `notFound`: every INVITE gets a 404 instead of being relayed. */
export async function startProxy({ notFound }: { notFound: boolean }): Promise<Kamailio> {
  const far = await startAnswerer();
  const relay = `record_route(); $du = "sip:127.0.0.1:${far.port}"; t_relay();`;
  const proxy = await startKamailio({
    route: route(notFound ? 't_newtran(); t_reply("404", "Not Found");' : relay),
  });
  return {
    ...proxy,
    async stop() {
      far.stop();
      await proxy.stop();
    },
  };
}
