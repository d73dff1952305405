/** Sends to Android devices, browsers, and as banners to iOS devices through FCM's HTTP v1 API. */
import type { PushMessage, PushResult, PushTarget } from '../push-message.ts';
import { AccessTokens } from './access-tokens.ts';
import type { Access, FcmCredentials } from './access-tokens.ts';
import { notSendable, unanswered } from './answer.ts';
import type { Post } from './egress-request.ts';
import { fcmBody, fcmPath, fcmResult, isRefusedAccess } from './fcm-protocol.ts';
import { silenceResult } from './http2-connection.ts';
import type { Http2Result } from './http2-connection.ts';
import type { Http2Connections } from './http2-connections.ts';
import { within } from './time-left.ts';
import type { TimeLeft } from './time-left.ts';

interface FcmSenderOptions {
  connections: Http2Connections;
  post: Post;
  url: string;
  now: () => Date;
}

export class FcmSender {
  readonly #connections: Http2Connections;
  readonly #url: string;
  readonly #now: () => Date;
  readonly #access: AccessTokens;

  constructor({ connections, post, url, now }: FcmSenderOptions) {
    this.#connections = connections;
    this.#url = url;
    this.#now = now;
    this.#access = new AccessTokens(post, now);
  }

  async prepare(credentials: FcmCredentials): Promise<void> {
    await Promise.all([this.#connection()?.prepare(), this.#access.current(credentials)]);
  }

  async send(
    credentials: FcmCredentials,
    to: PushTarget,
    message: PushMessage,
    timeLeft: TimeLeft,
  ): Promise<PushResult> {
    const body = fcmBody(to, message, this.#now());
    if (body === null) return notSendable('OnlyBannersToIos');
    const connection = this.#connection();
    if (!connection) return unanswered('TooManyConnections');
    const attempt = (token: string): Promise<Http2Result> =>
      connection.request({
        path: fcmPath(credentials.settings.projectId),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
        timeoutMs: timeLeft(),
      });
    const tooLate: Access = { result: unanswered('Timeout') };
    const access = await within(timeLeft(), this.#access.current(credentials), tooLate);
    if ('result' in access) return access.result;
    let answer = await attempt(access.token);
    if ('status' in answer && isRefusedAccess(answer)) {
      const renewed = this.#access.after(access.token, credentials);
      const next = await within(timeLeft(), renewed, tooLate);
      if ('result' in next) return next.result;
      answer = await attempt(next.token);
    }
    return 'silence' in answer ? silenceResult(answer) : fcmResult(answer, this.#now());
  }

  /** All consumers share it, because each request has its own access token. */
  #connection() {
    return this.#connections.of(this.#url, this.#url, { isAccepted: () => true });
  }
}
