import { parse, type SessionDescription } from 'sdp-transform';

/**
 * Parses a session description. sdp-transform reads every value that is written like a number as a number, also where its types promise a
 * string, such as the codec of `a=rtpmap:96 1/8000`. These values are strings here, exactly as written.
 *
 * @throws if the text cannot be parsed
 */
export function parseSdp(text: string): SessionDescription {
  const session = parse(text);
  asWritten(session.connection, 'ip');
  asWritten(session.fingerprint, 'type', 'hash');
  for (const media of session.media) {
    asWritten(media, 'type', 'protocol');
    asWritten(media.connection, 'ip');
    asWritten(media.fingerprint, 'type', 'hash');
    for (const map of media.rtp) asWritten(map, 'codec');
    for (const candidate of media.candidates ?? []) asWritten(candidate, 'ip', 'transport');
    for (const source of media.ssrcs ?? []) asWritten(source, 'attribute', 'value');
    for (const extension of media.ext ?? []) asWritten(extension, 'uri');
  }
  return session;
}

function asWritten<T extends object>(values: T | undefined, ...keys: (keyof T)[]): void {
  if (!values) return;
  for (const key of keys) {
    const value: unknown = values[key];
    if (typeof value === 'number') Object.assign(values, { [key]: String(value) });
  }
}
