/** A consumer's trunk leads to the public internet, and takes calls from there: otherwise it could reach our own network. */
import { invalidField } from '@clarion/protocol';
import type { Settings } from '../context.ts';
import { assertPublicHost } from '../egress/assert-public.ts';
import { isPublicNetwork } from '../egress/public-address.ts';
import { isNetwork } from './network.ts';
import type { TrunkSettings } from './trunk-settings.ts';

/**
 * Hosts are looked up, so this runs before the transaction. The check when a call is placed is the one that protects the network; this
 * one reports mistakes early.
 *
 * @throws 400 naming `host` or `destinations[n].host`
 */
export async function assertPublicHosts(
  { host, destinations }: Pick<TrunkSettings, 'host' | 'destinations'>,
  { allowPrivateEgress: allowPrivate, resolve }: Settings,
): Promise<void> {
  const check = { allowPrivate, ...(resolve && { resolve }) };
  const hosts = [
    { field: 'host', host },
    ...destinations.map((one, index) => ({ field: `destinations[${index}].host`, host: one.host })),
  ];
  await Promise.all(hosts.map((one) => assertPublicHost(one.field, one.host, check)));
}

/**
 * Whatever is given over the API; a template's addresses were checked by the operator.
 *
 * @param fields by source address, the field as sent
 * @throws 400 naming the field
 */
export function assertPublicSources(fields: ReadonlyMap<string, string>): void {
  for (const [source, field] of fields) {
    if (isNetwork(source) && isPublicNetwork(source)) continue;
    throw invalidField(field, `${field}: ${source} is not a public address or range.`);
  }
}
