/** Debian's Kamailio as a carrier: a registrar-less proxy that authenticates calls, redirects, rejects or relays them by number. */
import { startKamailio, type Kamailio } from '@clarion/testkit/peers/kamailio';

export interface KamailioCarrierOptions {
  /** The port of the phone to which calls are relayed. */
  phonePort: number;
  /** Numbers that end in 302 are redirected to this URI. */
  redirectTo?: string;
  /** Calls need these credentials. */
  account?: { username: string; password: string; algorithm: 'MD5' | 'SHA-256' };
}

/** Numbers that end in 404, 486, 503 or 603 are rejected with that status; others are relayed. */
const route = ({ phonePort, redirectTo, account }: KamailioCarrierOptions): string => `
  if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) {
    if (!loose_route() && !is_method("ACK")) { sl_send_reply("404", "Not Here"); exit; }
${account ? authenticated(account, '!is_method("ACK")') : ''}
    t_relay();
    exit;
  }
  if (is_method("ACK")) { if (t_check_trans()) t_relay(); exit; }
${account ? authenticated(account, 'true') : ''}
  if ($rU =~ "302$") { append_branch("${redirectTo ?? ''}"); sl_send_reply("302", "Moved Temporarily"); exit; }
  if ($rU =~ "404$") { sl_send_reply("404", "Not Found"); exit; }
  if ($rU =~ "486$") { sl_send_reply("486", "Busy Here"); exit; }
  if ($rU =~ "503$") { sl_send_reply("503", "Service Unavailable"); exit; }
  if ($rU =~ "603$") { sl_send_reply("603", "Decline"); exit; }
  record_route();
  $du = "sip:127.0.0.1:${phonePort}";
  t_relay();`;

const authenticated = (
  { username, password }: { username: string; password: string },
  when: string,
): string => `    if (${when}) {
      if (!pv_proxy_authenticate("kamailio.test", "${password}", "0") || $au != "${username}") {
        proxy_challenge("kamailio.test", "1");
        exit;
      }
      consume_credentials();
    }`;

export const startKamailioCarrier = (options: KamailioCarrierOptions): Promise<Kamailio> =>
  startKamailio({
    modules: ['corex', 'auth'],
    parameters: `modparam("auth", "qop", "auth")
modparam("auth", "algorithm", "${options.account?.algorithm === 'SHA-256' ? 'SHA-256' : ''}")`,
    route: route(options),
  });
