/** The media path on which a call begins (docs/requirements.md#media). It may leave the direct path later: call-machine/direct-path.ts. */
import type { ChannelType, MediaPath, TenantSettings } from '@clarion/protocol';
import type { CallDirection } from '@clarion/protocol';
import { speaks } from '../call-machine/direct-path.ts';

export function mediaPathOf(
  settings: Pick<TenantSettings, 'monitoring'>,
  line: { personal: boolean; type: ChannelType },
  direction: CallDirection,
): MediaPath {
  const listenOnly = !speaks(settings.monitoring.modes);
  const possible = direction === 'INBOUND' || line.type === 'SIP';
  return line.personal && listenOnly && possible ? 'DIRECT' : 'ROOM';
}
