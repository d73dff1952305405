/** Refusals of an outbound call that say more than their code: for the call itself, and for the preview of its route. Pure. */
import { ApiError } from '@clarion/protocol';
import type { ChannelType } from '@clarion/protocol';

export const tenantSuspended = (message = 'The tenant is suspended.') =>
  new ApiError('tenant_suspended', { message });

export const unsupportedChannel = (type: ChannelType) =>
  new ApiError('unsupported_channel', {
    message: type === 'WHATSAPP' ? 'The line has no access token.' : 'The line has no trunk.',
  });
