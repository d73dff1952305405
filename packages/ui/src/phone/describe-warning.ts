/** Advice for problems of a live call. Unknown warnings have no text. */
export function describeWarning(name: string): string | null {
  switch (name) {
    case 'no-audio-received':
      return 'No audio is arriving, so you may not hear the customer. Ask whether they can hear you.';
    case 'no-audio-sent':
      return 'No audio is being sent, so the customer may not hear you. Check your microphone and network.';
    case 'high-packet-loss':
      return 'The network is losing audio. Move closer to your Wi-Fi access point, or use a cable.';
    case 'high-jitter':
      return 'The network is unstable. Close downloads and video, or use a cable.';
    case 'high-rtt':
      return 'The audio is delayed. Leave short pauses. A VPN may be the cause.';
    case 'low-mos':
      return 'Call quality is poor. Close downloads and video, or use a cable.';
    default:
      return null;
  }
}

/** Why a transfer returned; null if the agent cancelled it. */
export function describeTransferFailure(reason: string): string | null {
  switch (reason) {
    case 'CANCELLED':
      return null;
    case 'DECLINED':
      return 'Your colleague declined the transfer. You are connected to the customer again.';
    case 'NO_ANSWER':
      return 'The transfer was not answered. You are connected to the customer again.';
    case 'QUEUE_TIMEOUT':
      return 'No agent of the queue answered in time. You are connected to the customer again.';
    case 'AGENT_GONE':
      return 'Your colleague is no longer connected. You are connected to the customer again.';
    default:
      return 'The transfer failed. You are connected to the customer again.';
  }
}
