/** Checks addresses when they are saved. This only reports mistakes early; the check when connecting is the one that protects us. */
import { invalidField } from '@clarion/protocol';
import { checkedAddresses, checkedUrl, EgressRefused, resolvePublicName } from './guard.ts';
import type { Resolve } from './guard.ts';
import { isPublicAddress, literalAddress } from './public-address.ts';

export interface PublicCheck {
  allowPrivate: boolean;
  resolve?: Resolve;
}

/** Limits how long a DNS lookup may delay a save. A name that was not resolved by then is accepted. */
const SAVE_LOOKUP_MS = 2_000;

/** @throws 400 naming `field` if the URL is not https or leads to an address that is not public */
export async function assertPublicUrl(field: string, url: string, check: PublicCheck): Promise<void> {
  await refusalsAre400(field, async () => {
    const { hostname } = checkedUrl(url, check.allowPrivate);
    if (literalAddress(hostname) === null) await assertPublicName(hostname, check);
  });
}

/** @throws 400 naming `field` if the host is an address that is not public, or resolves to one */
export async function assertPublicHost(field: string, host: string, check: PublicCheck): Promise<void> {
  await refusalsAre400(field, async () => {
    // The URL parser accepts the same notations as the network stack: `127.1` and `0x7f000001` are addresses.
    const hostname = URL.parse(
      `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`,
    )?.hostname;
    if (!hostname || !/^[\w.:[\]-]+$/.test(host))
      throw new EgressRefused('This is not a valid host name or IP address.');
    const literal = literalAddress(hostname);
    if (literal === null) await assertPublicName(hostname, check);
    else if (!check.allowPrivate && !isPublicAddress(literal)) throw new EgressRefused();
  });
}

async function assertPublicName(hostname: string, { allowPrivate, resolve }: PublicCheck): Promise<void> {
  if (allowPrivate) return;
  const unknown = new Promise<void>((done) => setTimeout(done, SAVE_LOOKUP_MS).unref());
  const known = checkedAddresses(hostname, resolve ?? resolvePublicName, allowPrivate).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof EgressRefused) throw error;
    },
  );
  await Promise.race([known, unknown]);
}

async function refusalsAre400(field: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof EgressRefused ? invalidField(field, error.message) : error;
  }
}
