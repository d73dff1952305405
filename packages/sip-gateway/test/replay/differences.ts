/**
 * Where this gateway deliberately differs from the recorded server, and why. `repair` rewrites recorded entries; `drop`
 * omits them; a file in `NOT_PLAYED` is not played.
 */
import type { Leniency } from './play.ts';
import type { Entry } from './transcript.ts';

export interface Difference {
  readonly reason: string;
  /** Rewrites a recorded message or payload. */
  readonly repair?: (text: string, entry: Entry) => string;
  /** Entries that are neither sent nor expected. */
  readonly drop?: (entry: Entry) => boolean;
  /** Ms by which an entry is moved. */
  readonly shift?: (entry: Entry) => number;
  /** Arrives later here than recorded, possibly after later entries. */
  readonly late?: (entry: Entry) => boolean;
  /** Sent by this gateway and not by drachtio-server. */
  readonly extra?: RegExp;
}

const textOf = (entry: Entry): string =>
  entry.kind === 'command' || entry.kind === 'frame' ? entry.payload : 'text' in entry ? entry.text : '';

const between =
  (from: number, to: number) =>
  (entry: Entry): boolean =>
    entry.kind !== 'open' && entry.at >= from && entry.at <= to;

/** Apply to every recording. */
export const EVERYWHERE: readonly Difference[] = [
  {
    reason: 'drachtio-server loses the angle brackets of To in messages that it builds twice.',
    repair: (text) => text.replace(/^To: (sips?:[^<>;\r\n]+)/gm, 'To: <$1>'),
  },
  {
    reason:
      'drachtio-server moves ;transport= of the Request-URI behind the brackets of To, which RFC 3261 §19.1.1 forbids.',
    repair: (text) => text.replace(/^(To: <[^>]+>);transport=tcp/gm, '$1'),
  },
  {
    reason:
      'drachtio-server adds spaces after the commas of a credentials header; here it stays as the app wrote it.',
    repair: (text) =>
      text.replace(/^(?:Proxy-)?Authorization: .*$/gm, (line) => line.replaceAll(/, (?=[a-z]+=)/g, ',')),
  },
  {
    reason:
      'A closed UDP port is detected by a probe after the first retransmission (node:dgram hides ICMP from a shared socket).',
    late: (entry) =>
      entry.kind === 'frame' && /\|sip\|network\|0\|udp\|\|0\|[^]*SIP\/2.0 503/.test(entry.payload),
  },
  {
    reason:
      'The app learns that its INVITE has arrived, so that it can give up a server that does not respond.',
    extra: /\|sip\|network\|[^]*SIP\/2\.0 100 /,
  },
  {
    reason: 'A response that stands for a network or TLS error names it in a Warning header.',
    repair: (text, entry) =>
      entry.kind === 'frame' && /\|sip\|network\|0\|[^]*SIP\/2\.0 503/.test(text)
        ? text.replace('Content-Length: 0', 'Warning: 399 clarion "ECONNREFUSED"\r\nContent-Length: 0')
        : text,
  },
];

export const NOT_PLAYED: Readonly<Record<string, string>> = {
  '19-app-disconnects-mid-call': 'calls of a disconnected app are ended here; see dialogs.test.ts',
  '30-app-disconnect-outbound-and-ringing': 'calls of a disconnected app are ended here; see dialogs.test.ts',
  '23-cdr-messages': 'cdr events are not supported',
  '24-outbound-connection-mode': 'the gateway never connects to apps',
  '29-proxy-command': 'proxying is not supported',
  '37-malformed-frames':
    'drachtio-server crashes or accepts commands without authentication; see control.test.ts for the behaviour here',
};

const APP_GONE: Difference = {
  reason: 'When the app disconnects, its open requests and calls are rejected, cancelled or ended.',
  extra: /^(SIP\/2\.0 480|CANCEL|BYE)/,
};

const TARGET_REFRESH: Difference = {
  reason:
    'The Contact of a 2xx to a re-INVITE is the new target (RFC 3261 §12.2.1.2); drachtio-server keeps the old one.',
  repair: (text) => text.replace(/<sip:bob@127\.0\.0\.1:(5091|5121)/, '<sip:alice@127.0.0.1:$1'),
};

export const BY_FILE: Readonly<Record<string, readonly Difference[]>> = {
  '01-connect-authenticate': [
    {
      reason: 'No command is accepted before authentication.',
      drop: (entry) => 'conn' in entry && entry.conn === 11,
    },
  ],
  '02-route-verbs': [
    {
      reason: 'A verb routed twice by one app gives it one share, not two, so the turns differ.',
      drop: between(700, 1_600),
    },
    {
      reason: 'No command is accepted before authentication.',
      drop: (entry) => 'conn' in entry && entry.conn === 3,
    },
  ],
  '04-inbound-options-200': [APP_GONE],
  '13-outbound-invite-no-answer': [APP_GONE],
  '14-reinvite-hold-both-directions': [TARGET_REFRESH],
  '21-source-and-routing': [
    APP_GONE,
    {
      reason:
        'An ACK is matched by its tags: an invalid Request-URI does not lose it, and the app gets a valid one instead.',
      extra: /^ACK sip:invalid SIP\/2\.0/m,
    },
    {
      reason:
        'The reply to a request that waits for DNS already contains its Via; the 503 after it has the standard reason phrase.',
      drop: (entry) => /no-such-host|12db2f6c-a154/.test(textOf(entry)),
    },
  ],
  '25-error-responses': [
    {
      reason: 'Every command gets a reply.',
      extra: /\|response\|e5\|NOK\|/,
    },
    {
      reason: 'No header is truncated at 8,400 octets, and no frame of 12,300 octets blocks the connection.',
      drop: (entry) =>
        ('conn' in entry && (entry.conn === 3 || entry.conn === 6 || entry.conn === 7)) ||
        ('endpoint' in entry && entry.endpoint === 'sink-s2'),
    },
    {
      reason:
        'Unframed octets were not recorded, and one connection skips authentication; see control.test.ts.',
      drop: (entry) => 'conn' in entry && (entry.conn === 8 || entry.conn === 9 || entry.conn === 11),
    },
  ],
  '28-session-timer': [
    TARGET_REFRESH,
    {
      reason:
        'The session is refreshed after exactly half its interval; drachtio-server chooses a random time near it.',
      shift: (entry) => (entry.at > 40_000 ? 1_000 : 0),
    },
  ],
  '31-inbound-invite-app-never-answers': [
    {
      reason: 'An INVITE that the app ignores gets a 480 after 64 s, so its repetition is not a new call.',
      drop: between(66_000, 67_000),
      extra: /^SIP\/2\.0 480/,
    },
  ],
  '35-cancel-unanswered': [
    {
      reason: 'Every CANCEL leads to a final response for the app.',
      extra: /\|sip\|network\|0\|[^]*SIP\/2\.0 487/,
    },
  ],
  '36-update-refer-message-in-dialog': [
    {
      reason: 'A 2xx to an UPDATE has a Contact (RFC 3311 table 1).',
      repair: (text) =>
        text.replace(
          /^SIP\/2\.0 200 OK\r?\n(?:[A-Z].*\r?\n)*CSeq: \d+ UPDATE(\r?\n)/m,
          '$&Contact: <sip:127.0.0.1:5070>$1',
        ),
    },
    {
      reason: 'A request that is rejected immediately gets no 100 first.',
      drop: (entry) => entry.kind === 'sip-out' && /^SIP\/2\.0 100 [^]*Call-ID: unknown/.test(entry.text),
    },
    {
      reason: 'REFER and unknown methods outside a dialog are rejected, not dropped.',
      extra: /^SIP\/2\.0 (405|501)/,
    },
  ],
  '38-outbound-200-retransmitted-and-forked': [
    {
      reason: 'A second fork that answers is acknowledged and ended.',
      extra: /^(ACK|BYE)[^]*;tag=B\r/,
    },
  ],
};

/** A recording as this gateway should play it. */
export function adapt(name: string, entries: readonly Entry[]): { entries: Entry[] } & Leniency {
  const differences = [...EVERYWHERE, ...(BY_FILE[name] ?? [])];
  const adapted = entries
    .filter((entry) => !differences.some((difference) => difference.drop?.(entry) === true))
    .map((entry) => {
      const text = differences.reduce((now, { repair }) => repair?.(now, entry) ?? now, textOf(entry));
      const at = entry.at + differences.reduce((sum, { shift }) => sum + (shift?.(entry) ?? 0), 0);
      if (entry.kind === 'command' || entry.kind === 'frame') return { ...entry, at, payload: text };
      return 'text' in entry ? { ...entry, at, text } : { ...entry, at };
    });
  return {
    entries: adapted,
    allowed: (text) => differences.some(({ extra }) => extra?.test(text) === true),
    late: (entry) => differences.some(({ late }) => late?.(entry) === true),
  };
}
