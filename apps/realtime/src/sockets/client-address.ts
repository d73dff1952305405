/** The address of a client, for limits per address. Agents' sockets come through the web process, which forwards their address. */
import type { IncomingMessage } from 'node:http';
import { readSignedClient, subscriberOf } from '@clarion/core/security/client-address';
import type { SecretBox } from '@clarion/core/security/secret-box';
import { CLIENT_ADDRESS_HEADER, UNTRUSTED_FORWARDING_HEADER } from '@clarion/protocol/socket';

type Upgrade = Pick<IncomingMessage, 'headers' | 'socket'>;

/** The header counts only with the web process's signature: clients that connect to this port directly can send it too. */
export const clientAddress = ({ headers, socket }: Upgrade, secrets: SecretBox): string =>
  readSignedClient(secrets, headers[CLIENT_ADDRESS_HEADER]) ?? subscriberOf(socket.remoteAddress ?? '');

/** Whether the web process did not trust the X-Forwarded-For of this connection. Only for the log: any client can send the header. */
export const hasUntrustedForwarding = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers[UNTRUSTED_FORWARDING_HEADER] === '1';
