/** What a line of a ladder says about a SIP message or about an event of the audio. */

const header = (message: string, name: string): string | null =>
  new RegExp(`\\n(?:${name})[ \\t]*:[ \\t]*([^\\r\\n]*)`, 'i').exec(message)?.[1] ?? null;

const hasSdp = (message: string): boolean =>
  /\n(?:content-type|c)[ \t]*:[ \t]*application\/sdp/i.test(message);

/** `INVITE sip:+44…@host (with SDP)`, `183 Session Progress (INVITE, with SDP)`. */
export function sipSummary(message: string): string {
  const [start = ''] = message.split(/\r?\n/, 1);
  const sdp = hasSdp(message);
  if (!start.startsWith('SIP/2.0 ')) {
    const request = start.replace(/ SIP\/2\.0$/, '');
    return sdp ? `${request} (with SDP)` : request;
  }
  const method = /^\d+\s+(\w+)/.exec(header(message, 'cseq') ?? '')?.[1] ?? '';
  const about = [method, ...(sdp ? ['with SDP'] : [])].filter((part) => part !== '').join(', ');
  return `${start.slice('SIP/2.0 '.length)}${about === '' ? '' : ` (${about})`}`;
}

type Data = Readonly<Record<string, string | number | boolean | null>>;

/** A sentence about what happened to the audio of a leg. */
export function mediaSummary(what: string, data: Data, isBrowser: boolean): string {
  switch (what) {
    case 'connected':
      return isBrowser
        ? `ICE and DTLS connected, codec ${data.codec}`
        : `Audio connected, codec ${data.codec}`;
    case 'interrupted':
      return 'Connection to the app interrupted';
    case 'restored':
      return 'Connection to the app restored';
    case 'first-packet-received':
      return 'First audio packet received';
    case 'first-packet-sent':
      return 'First audio packet sent';
    case 'handed-over':
      return data.isFirst === true
        ? 'Audio handed over to mediasoup, which sends the first packet'
        : 'Audio handed over to mediasoup';
    case 'taken-back':
      return 'Audio taken back from mediasoup';
    case 'ssrc-changed':
      return 'The remote party changed the SSRC of its audio';
    case 'digit-received':
      return 'Digit received (*)';
    case 'digits-sent':
      return `Digits sent (${'*'.repeat(Math.min(Number(data.count) || 1, 32))})`;
    case 'quality':
      return `Received ${data.receivedPackets} packets, ${data.lostPackets} lost (${data.lossPercent} %), jitter ${data.jitterMs} ms, ${changes(Number(data.ssrcChanges))}`;
    case 'ended':
      return `Leg ended: ${data.message} (${data.cause})`;
    default:
      return what;
  }
}

const changes = (count: number): string =>
  count === 0 ? 'no SSRC change' : `${count} SSRC ${count === 1 ? 'change' : 'changes'}`;
