/** Which media path a call takes (spec, Behaviour overview, 5): decided once, when it is created. */
import type { ChannelType, MediaPath, TenantSettings } from '@clarion/protocol';
import type { CallDirection } from '@clarion/protocol';

export function mediaPathOf(
  settings: Pick<TenantSettings, 'monitoring'>,
  line: { personal: boolean; type: ChannelType },
  direction: CallDirection,
): MediaPath {
  const listenOnly = settings.monitoring.modes.every((mode) => mode === 'LISTEN');
  const possible = direction === 'INBOUND' || line.type === 'SIP';
  return line.personal && listenOnly && possible ? 'DIRECT' : 'ROOM';
}
