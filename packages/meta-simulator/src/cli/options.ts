/** The command line: options and help text. Pure. */
import { parseArgs } from 'node:util';
import { CONTROL_PORT, GRAPH_PORT } from '../options.ts';

export const HELP = `Simulates Meta's side of the WhatsApp Business Calling API.

Usage: clarion-meta-simulator --webhook-url URL --app-secret SECRET --access-token TOKEN --phone-number-id ID [options]

  --webhook-url URL          where webhooks are POSTed (required)
  --app-secret SECRET        signs webhooks in X-Hub-Signature-256 (required)
  --access-token TOKEN       the Bearer token that requests must have (required, may be repeated)
  --phone-number-id ID       a business number (required, may be repeated)
  --verify-token TOKEN       of the webhook handshake (default: verify)
  --display-number DIGITS    the number of the first business number
  --customer DIGITS          a customer's number (may be repeated; default: 15550001001)
  --answer-after MS          customers answer calls by themselves after this time
  --grant-permission         customers have given a permanent call permission
  --host ADDRESS             where the Graph API listens (default: 127.0.0.1)
  --port PORT                of the Graph API (default: ${GRAPH_PORT}; 0: any)
  --control-port PORT        of the control API, on loopback (default: ${CONTROL_PORT}; 0: any)
  --control-origin ORIGIN    a web page of this origin may use the control API
  --media-address ADDRESS    the address in SDP (default: 127.0.0.1)
  --help                     this text`;

export interface CliOptions {
  readonly webhookUrl: string;
  readonly appSecret: string;
  readonly accessTokens: readonly string[];
  readonly phoneNumberIds: readonly string[];
  readonly verifyToken: string;
  readonly displayNumber: string | undefined;
  readonly customers: readonly string[];
  readonly answerAfterMs: number | null;
  readonly grantPermission: boolean;
  readonly host: string;
  readonly port: number;
  readonly controlPort: number;
  readonly controlOrigin: string | null;
  readonly mediaAddress: string;
}

const MAX_PORT = 65_535;
const MAX_MS = 600_000;

/** Null for `--help`; throws an Error of one line that names the option. */
export function parseOptions(args: readonly string[]): CliOptions | null {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      'webhook-url': { type: 'string' },
      'app-secret': { type: 'string' },
      'access-token': { type: 'string', multiple: true },
      'phone-number-id': { type: 'string', multiple: true },
      'verify-token': { type: 'string', default: 'verify' },
      'display-number': { type: 'string' },
      customer: { type: 'string', multiple: true, default: ['15550001001'] },
      'answer-after': { type: 'string' },
      'grant-permission': { type: 'boolean', default: false },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: String(GRAPH_PORT) },
      'control-port': { type: 'string', default: String(CONTROL_PORT) },
      'control-origin': { type: 'string' },
      'media-address': { type: 'string', default: '127.0.0.1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const webhookUrl = required('webhook-url', values['webhook-url']);
  if (!/^https?:$/.test(URL.parse(webhookUrl)?.protocol ?? ''))
    throw new Error('--webhook-url must be an http or https URL');
  const answerAfter = values['answer-after'];
  return {
    webhookUrl,
    appSecret: required('app-secret', values['app-secret']),
    accessTokens: required('access-token', values['access-token']),
    phoneNumberIds: required('phone-number-id', values['phone-number-id']),
    verifyToken: values['verify-token'],
    displayNumber: values['display-number'],
    customers: values.customer,
    answerAfterMs: answerAfter === undefined ? null : whole('answer-after', answerAfter, MAX_MS),
    grantPermission: values['grant-permission'],
    host: values.host,
    port: whole('port', values.port, MAX_PORT),
    controlPort: whole('control-port', values['control-port'], MAX_PORT),
    controlOrigin: values['control-origin'] ?? null,
    mediaAddress: values['media-address'],
  };
}

function required<T>(name: string, value: T | undefined): T {
  if (value === undefined || value === '') throw new Error(`--${name} is required`);
  return value;
}

function whole(name: string, text: string, max: number): number {
  const value = Number(text);
  if (text === '' || !Number.isInteger(value) || value < 0 || value > max)
    throw new Error(`--${name} must be a whole number from 0 to ${max}, not ${text}`);
  return value;
}
