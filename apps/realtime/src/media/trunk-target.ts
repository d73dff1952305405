/** A trunk as media needs it to send requests to the carrier. */
import type { SipTrunk } from '@clarion/db';
import { trunkDestination, trunkQuirks } from '@clarion/protocol';
import { codecsOfTrunk } from '@clarion/protocol/media';
import type { TrunkTarget } from '@clarion/protocol/media';
import type { SecretBox } from '@clarion/core/security/secret-box';
import { z } from 'zod';

export function trunkTarget(trunk: SipTrunk, secrets: SecretBox): TrunkTarget {
  const quirks = trunkQuirks.parse(trunk.quirks);
  return {
    trunkId: trunk.id,
    platform: trunk.consumerId === null,
    host: trunk.host,
    port: trunk.port,
    transport: trunk.transport,
    destinations: z.array(trunkDestination).parse(trunk.destinations),
    useSrv: quirks.useSrv ?? false,
    username: trunk.username,
    password: trunk.passwordSealed === null ? null : secrets.open('trunk-password', trunk.passwordSealed),
    sourceCidrs: trunk.inboundSourceCidrs,
    codecs: codecsOfTrunk(trunk.codecs),
    srtp: trunk.srtp,
    identity: {
      fromDomain: quirks.fromDomain ?? null,
      fromUser: quirks.fromUser ?? null,
      userPhone: quirks.userPhone ?? false,
      assertedIdentity: !(quirks.noAssertedIdentity ?? false),
      hideCallerId: quirks.hideCallerId ?? false,
    },
    noEarlyMedia: quirks.noEarlyMedia ?? false,
    callsPerSecond: trunk.callsPerSecond,
    localEndpointOnly: quirks.noHeaderExtensions ?? false,
  };
}
