/** Sends VoIP pushes to iOS devices through APNs. */
import type { PushMessage, PushResult, PushTarget } from '../push-message.ts';
import type { PushUrls } from '../push-urls.ts';
import { notSendable, unanswered } from './answer.ts';
import type { Answer } from './answer.ts';
import { apnsRequest, apnsResult, isExpiredJwt, isUnknownToken } from './apns-protocol.ts';
import type { ApnsRequest } from './apns-protocol.ts';
import { silenceResult } from './http2-connection.ts';
import type { Http2Result } from './http2-connection.ts';
import type { Http2Connections } from './http2-connections.ts';
import { apnsKeyId, ProviderTokens } from './provider-tokens.ts';
import type { ApnsCredentials } from './provider-tokens.ts';
import type { TimeLeft } from './time-left.ts';

const FORBIDDEN = 403;
/** Any other answer, even an error, was given to a sender whose provider token was accepted. */
const isAccepted = ({ status }: Answer) => status !== FORBIDDEN;

export class ApnsSender {
  readonly #connections: Http2Connections;
  readonly #urls: PushUrls;
  readonly #now: () => Date;
  readonly #tokens: ProviderTokens;

  constructor({
    connections,
    urls,
    now,
  }: {
    connections: Http2Connections;
    urls: PushUrls;
    now: () => Date;
  }) {
    this.#connections = connections;
    this.#urls = urls;
    this.#now = now;
    this.#tokens = new ProviderTokens(now);
  }

  async prepare(credentials: ApnsCredentials, to: PushTarget): Promise<void> {
    await this.#tokens.current(credentials);
    await this.#connectionFor(credentials, to.sandbox ?? credentials.settings.sandbox)?.prepare();
  }

  async send(
    credentials: ApnsCredentials,
    to: PushTarget,
    message: PushMessage,
    timeLeft: TimeLeft,
  ): Promise<PushResult> {
    const request = apnsRequest(credentials.settings, to, message);
    if (!request) return notSendable('OnlyIncomingCallsAsVoip');
    const sandbox = to.sandbox ?? credentials.settings.sandbox;
    const post = (inSandbox: boolean) =>
      this.#post(credentials, { request, sandbox: inSandbox, kind: message.kind }, timeLeft);
    const first = await post(sandbox);
    if (!isUnknownToken(first)) return first;
    // A build from Xcode has a token of the sandbox, and one from the App Store a token of production.
    const second = await post(!sandbox);
    return second.outcome === 'failed' ? first : second;
  }

  async #post(
    credentials: ApnsCredentials,
    { request, sandbox, kind }: { request: ApnsRequest; sandbox: boolean; kind: PushMessage['kind'] },
    timeLeft: TimeLeft,
  ): Promise<PushResult> {
    const connection = this.#connectionFor(credentials, sandbox);
    if (!connection) return unanswered('TooManyConnections');
    const attempt = (jwt: string): Promise<Http2Result> =>
      connection.request({
        ...request,
        headers: { ...request.headers, authorization: `bearer ${jwt}` },
        timeoutMs: timeLeft(),
      });
    const jwt = await this.#tokens.current(credentials);
    let answer = await attempt(jwt);
    if ('status' in answer && isExpiredJwt(answer)) {
      const next = await this.#tokens.after(jwt, credentials);
      if (next !== null) answer = await attempt(next);
    }
    if ('silence' in answer) return silenceResult(answer);
    return apnsResult(answer, { kind, sandbox, now: this.#now() });
  }

  /** Each key has its own connection, on which APNs accepts one provider token at a time. */
  #connectionFor(credentials: ApnsCredentials, sandbox: boolean) {
    const url = sandbox ? this.#urls.apnsSandbox : this.#urls.apns;
    return this.#connections.of(`${url} ${apnsKeyId(credentials)}`, url, { isAccepted });
  }
}
