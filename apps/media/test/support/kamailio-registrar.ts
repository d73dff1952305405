/** Debian's Kamailio as a registrar with digest authentication; calls to an account go to its contact. */
import { startKamailio, type Kamailio } from '@clarion/testkit/peers/kamailio';

export interface KamailioRegistrarOptions {
  realm: string;
  password: string;
  /** Shorter registrations get 423. */
  minExpiresSeconds: number;
}

const route = (realm: string, password: string): string => `
  if (is_method("OPTIONS")) { sl_send_reply("200", "Keepalive"); exit; }
  if (is_method("REGISTER")) {
    if ($tU == "unknown") { sl_send_reply("404", "Not Found"); exit; }
    if (!pv_www_authenticate("${realm}", "${password}", "0")) { www_challenge("${realm}", "1"); exit; }
    if ($au != $tU) { sl_send_reply("403", "Forbidden"); exit; }
    save("location");
    exit;
  }
  if (has_totag()) { loose_route(); t_relay(); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  record_route();
  if (!lookup("location")) { sl_send_reply("480", "Not Registered"); exit; }
  t_relay();`;

export const startKamailioRegistrar = ({
  realm,
  password,
  minExpiresSeconds,
}: KamailioRegistrarOptions): Promise<Kamailio> =>
  startKamailio({
    transports: ['udp', 'tcp'],
    globals: `alias="${realm}"`,
    modules: ['maxfwd', 'auth', 'usrloc', 'registrar'],
    parameters: `modparam("usrloc", "db_mode", 0)
modparam("registrar", "min_expires", ${minExpiresSeconds})
modparam("registrar", "min_expires_mode", 1)
modparam("registrar", "max_expires", 7200)`,
    route: route(realm, password),
  });
