import type { FailureCode } from '@clarion/protocol';

/**
 * `status` is the SIP response: 400 for SDP that cannot be parsed, 488 for SDP that cannot be accepted. `reason` is the
 * code of the failure catalogue.
 */
export class SdpError extends Error {
  readonly status: 400 | 488;
  readonly reason: FailureCode;

  constructor(
    message: string,
    status: 400 | 488,
    reason: FailureCode = status === 400 ? 'invite_malformed' : 'no_common_codec',
  ) {
    super(message);
    this.name = 'SdpError';
    this.status = status;
    this.reason = reason;
  }
}
