/** Trouble of a live call in words a person can act on. Names the service adds later say nothing rather than jargon. */
export function describeWarning(name: string): string | null {
  switch (name) {
    case 'no-audio-received':
      return 'You may not hear the customer: no sound arrives. Ask whether they hear you.';
    case 'no-audio-sent':
      return 'The customer may not hear you: no sound leaves. Check your microphone and your network.';
    case 'high-packet-loss':
      return 'Words get lost on the network. Move closer to your Wi-Fi, or plug in a cable.';
    case 'high-jitter':
      return 'The network is uneven. Close downloads and video, or plug in a cable.';
    case 'high-rtt':
      return 'Voices arrive late. Leave short pauses; a VPN that is switched on may be the cause.';
    case 'low-mos':
      return 'The call sounds bad. Close downloads and video, or plug in a cable.';
    default:
      return null;
  }
}

/** Why a transfer came back; null where the agent knows it, having taken the call back. */
export function describeTransferFailure(reason: string): string | null {
  switch (reason) {
    case 'CANCELLED':
      return null;
    case 'DECLINED':
      return 'Your colleague declined the transfer. The customer is with you again.';
    case 'NO_ANSWER':
      return 'Nobody answered the transfer. The customer is with you again.';
    case 'QUEUE_TIMEOUT':
      return 'Nobody in that queue was free in time. The customer is with you again.';
    case 'AGENT_GONE':
      return 'Your colleague is no longer signed in. The customer is with you again.';
    default:
      return 'The transfer did not work. The customer is with you again.';
  }
}
