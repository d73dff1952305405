/** The endpoints of the Graph API: one function per method and last part of the path. */
import { GraphError, invalidParameter, noSuchObject } from '../protocol/errors.ts';
import { optionalTextAt, type Json } from '../protocol/fields.ts';
import { parseCallsRequest, parsePermissionRequest, waIdOf } from '../protocol/requests.ts';
import { changeSettings } from '../protocol/settings.ts';
import { verifyEndpoint } from '../webhooks/webhooks.ts';
import type { CallBook } from '../world/call-book.ts';
import type { BusinessNumber } from '../world/people.ts';
import type { PermissionBook } from '../world/permission-book.ts';
import type { World } from '../world/world.ts';
import type { RateLimiter } from './rate.ts';

export interface GraphContext {
  readonly world: World;
  readonly calls: CallBook;
  readonly permissions: PermissionBook;
  readonly rate: RateLimiter;
}

export interface GraphRequest {
  readonly method: string;
  /** The parts of the path after the version. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Json;
}

type NumberRoute = (context: GraphContext, number: BusinessNumber, request: GraphRequest) => Promise<object>;
type AccountRoute = (context: GraphContext, wabaId: string, request: GraphRequest) => Promise<object>;

const SUCCESS = { success: true };

const numberRoutes: Readonly<Record<string, NumberRoute>> = {
  'GET ': async (_, number, { query }) => {
    const fields = (query.get('fields') ?? 'id,verified_name,display_phone_number,quality_rating').split(',');
    const known: Record<string, unknown> = {
      id: number.phoneNumberId,
      verified_name: number.verifiedName,
      display_phone_number: number.displayPhoneNumber,
      quality_rating: number.qualityRating,
      platform_type: 'CLOUD_API',
      code_verification_status: 'VERIFIED',
      name_status: 'APPROVED',
      status: 'CONNECTED',
      throughput: { level: 'STANDARD' },
    };
    const unknown = fields.find((field) => !(field.trim() in known));
    if (unknown !== undefined)
      throw invalidParameter(`Tried accessing nonexisting field (${unknown}) on node type (PhoneNumber).`);
    return Object.fromEntries(
      ['id', ...fields.map((field) => field.trim())].map((field) => [field, known[field]]),
    );
  },
  'POST calls': async ({ calls }, number, { body }) => {
    const request = parseCallsRequest(body);
    switch (request.action) {
      case 'connect': {
        const { id } = await calls.connect(number, request);
        return { messaging_product: 'whatsapp', calls: [{ id }] };
      }
      case 'pre_accept':
      case 'accept':
        await calls.preAcceptOrAccept(number, request);
        break;
      case 'reject':
      case 'terminate':
        calls.hangUpByBusiness(number, request.callId, request.action);
    }
    return { messaging_product: 'whatsapp', ...SUCCESS };
  },
  'POST messages': async ({ world, permissions, rate }, number, { body }) => {
    rate.message(number.phoneNumberId, world.clock.now());
    const { recipient, text } = parsePermissionRequest(body);
    const customer = world.recipient(recipient);
    const id = permissions.request(number, customer, text);
    return {
      messaging_product: 'whatsapp',
      contacts: [{ input: recipient.waId ?? recipient.userId, wa_id: recipient.waId ?? undefined }],
      messages: [{ id, message_status: 'accepted' }],
    };
  },
  'GET call_permissions': async ({ world, permissions, rate }, number, { query }) => {
    rate.permissionLookup(number.phoneNumberId, world.clock.now());
    const waId = query.get('user_wa_id');
    const userId = query.get('recipient');
    if (waId === null && userId === null) throw invalidParameter('Param user_wa_id is required.');
    const recipient =
      waId === null ? { waId: null, userId } : { waId: waIdOf(waId, 'user_wa_id'), userId: null };
    return permissions.describe(number, world.recipient(recipient));
  },
  'GET settings': async (_, number, { query }) => {
    const { sip, ...calling } = number.settings;
    if (sip === undefined) return { calling };
    const password =
      query.get('include_sip_credentials') === 'true' ? { sip_user_password: 'simulated' } : {};
    return { calling: { ...calling, sip: { ...sip, ...password } } };
  },
  'POST settings': async (_, number, { body }) => {
    const mayEnable = !number.restrictions.includes('messaging_limit');
    number.settings = changeSettings(number.settings, body, mayEnable);
    return SUCCESS;
  },
};

const accountRoutes: Readonly<Record<string, AccountRoute>> = {
  'POST subscribed_apps': async ({ world }, wabaId, { body }) => {
    const url = optionalTextAt(body, 'override_callback_uri');
    if (url !== null) {
      const token = optionalTextAt(body, 'verify_token') ?? '';
      if (!URL.canParse(url)) throw invalidParameter('Param override_callback_uri must be a URL.');
      const problem = await verifyEndpoint(url, token);
      if (problem !== null) throw new GraphError(100, `The webhook could not be verified: ${problem}.`);
    }
    world.webhooks.subscribe(wabaId, url);
    return SUCCESS;
  },
  'GET subscribed_apps': async ({ world }, wabaId) => ({
    data: world.webhooks.isSubscribed(wabaId)
      ? [{ whatsapp_business_api_data: { id: '1', name: 'Simulated app' } }]
      : [],
  }),
  'DELETE subscribed_apps': async ({ world }, wabaId) => {
    world.webhooks.unsubscribe(wabaId);
    return SUCCESS;
  },
  'GET phone_numbers': async ({ world }, wabaId) => ({
    data: world.numbers
      .filter((number) => number.wabaId === wabaId)
      .map(({ phoneNumberId, displayPhoneNumber, verifiedName, qualityRating }) => ({
        id: phoneNumberId,
        display_phone_number: displayPhoneNumber,
        verified_name: verifiedName,
        quality_rating: qualityRating,
      })),
  }),
};

/** Throws a GraphError for whatever Meta refuses. */
export async function respond(context: GraphContext, request: GraphRequest): Promise<object> {
  const { method, path } = request;
  const [id = '', edge = '', ...more] = path;
  const { world, rate } = context;
  const number = world.numbers.find(({ phoneNumberId }) => phoneNumberId === id);
  const account = world.numbers.find(({ wabaId }) => wabaId === id);
  if (number === undefined && account === undefined) throw noSuchObject(method, id);
  rate.request((number ?? account)?.wabaId ?? '', world.clock.now());
  if (more.length > 0) throw new GraphError(2500, `/${more.join('/')}`);
  const route = `${method} ${edge}`;
  const numberRoute = numberRoutes[route];
  if (number !== undefined && numberRoute !== undefined) return numberRoute(context, number, request);
  const accountRoute = accountRoutes[route];
  if (account !== undefined && accountRoute !== undefined) return accountRoute(context, id, request);
  throw edge === '' ? noSuchObject(method, id) : new GraphError(2500, `/${edge}`);
}
