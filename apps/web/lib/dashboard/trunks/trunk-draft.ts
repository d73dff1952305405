/** The form values of a trunk: all fields of the PUT, because an omitted field is reset to its default. */
import type { OwnTrunk } from '../edit/resources.ts';
import { RequestProblem, type Answer, type Input } from '../request.ts';
import { joinSources, splitSources } from './source-list.ts';

export type CarrierTemplate = Answer<'GET', '/v1/carrier-templates'>['templates'][number];
type CreateBody = Input<'POST', '/v1/sip-trunks'>['body'];
type PutBody = NonNullable<Input<'PUT', '/v1/sip-trunks/{trunkId}'>['body']>;
export type Codec = NonNullable<PutBody['codecs']>[number];
/** Per-carrier settings. Only those that are on. */
export type Quirks = OwnTrunk['quirks'];
export type InboundPrefix = NonNullable<NonNullable<OwnTrunk['techPrefixes']>['inbound']>[number];

/** How the carrier knows that a call is ours. */
export type Authentication = 'address' | 'credentials' | 'register';

export interface DestinationDraft {
  host: string;
  port: number | null;
  priority: number | null;
  weight: number | null;
}

export interface TrunkDraft {
  name: string;
  /** Null: another carrier. */
  templateId: number | null;
  /** The addresses are those of the template, also when it changes. */
  followTemplate: boolean;
  host: string;
  port: number | null;
  transport: OwnTrunk['transport'];
  authentication: Authentication;
  /** Empty: the stored credentials are kept. */
  username: string;
  password: string;
  /** As pasted. */
  sources: string;
  countryCode: string;
  nationalPrefix: string;
  destinations: DestinationDraft[];
  /** Empty: G.711. */
  codecs: Codec[];
  srtp: boolean;
  maxCalls: number | null;
  callsPerSecond: number | null;
  inboundPrefixes: InboundPrefix[];
  outboundPrefix: string;
  redirectPrefix: string;
  quirks: Quirks;
}

export const DEFAULT_PORT = 5060;
export const DEFAULT_TLS_PORT = 5061;
/** A further destination that is tried only if the others fail. */
const LAST_PRIORITY = 1;

export const emptyDraft: TrunkDraft = {
  name: '',
  templateId: null,
  followTemplate: false,
  host: '',
  port: DEFAULT_PORT,
  transport: 'UDP',
  authentication: 'address',
  username: '',
  password: '',
  sources: '',
  countryCode: '',
  nationalPrefix: '',
  destinations: [],
  codecs: [],
  srtp: false,
  maxCalls: null,
  callsPerSecond: null,
  inboundPrefixes: [],
  outboundPrefix: '',
  redirectPrefix: '',
  quirks: {},
};

export const newDestination = (): DestinationDraft => ({
  host: '',
  port: DEFAULT_PORT,
  priority: LAST_PRIORITY,
  weight: 1,
});

/** The settings that a trunk and a template have in common. */
const sharedDraft = (from: OwnTrunk | CarrierTemplate) => ({
  host: from.host,
  port: from.port,
  transport: from.transport,
  sources: joinSources(from.inboundSourceCidrs),
  countryCode: from.numberRules?.country_code ?? '',
  nationalPrefix: from.numberRules?.national_prefix ?? '',
  destinations: from.destinations.map((destination) => ({ ...destination })),
  codecs: [...(from.codecs ?? [])] as Codec[],
  srtp: from.srtp,
  quirks: { ...from.quirks },
});

/** Takes what the template knows, and keeps what only the account knows. */
export function withTemplate(draft: TrunkDraft, template: CarrierTemplate | null): TrunkDraft {
  if (template === null) {
    const { name, username, password } = draft;
    return { ...emptyDraft, name, username, password };
  }
  return {
    ...draft,
    ...sharedDraft(template),
    templateId: template.id,
    followTemplate: template.inboundSourceCidrs.length > 0,
    authentication: template.register ? 'register' : draft.authentication,
  };
}

export function draftOf(trunk: OwnTrunk): TrunkDraft {
  return {
    ...emptyDraft,
    ...sharedDraft(trunk),
    name: trunk.name,
    templateId: trunk.templateId,
    followTemplate: trunk.followTemplate,
    authentication: trunk.register ? 'register' : trunk.hasCredentials ? 'credentials' : 'address',
    maxCalls: trunk.maxCalls,
    callsPerSecond: trunk.callsPerSecond,
    inboundPrefixes: [...(trunk.techPrefixes?.inbound ?? [])],
    outboundPrefix: trunk.techPrefixes?.outbound ?? '',
    redirectPrefix: trunk.techPrefixes?.redirect ?? '',
  };
}

/** The names of the settings in a body. */
export const quirkFields = {
  callerIdPlus: 'caller_id_plus',
  calledPlus: 'called_plus',
  nationalOutbound: 'national_outbound',
  fromDomain: 'from_domain',
  fromUser: 'from_user',
  userPhone: 'user_phone',
  noAssertedIdentity: 'no_asserted_identity',
  hideCallerId: 'hide_caller_id',
  noHeaderExtensions: 'no_header_extensions',
  noEarlyMedia: 'no_early_media',
  useSrv: 'use_srv',
} as const satisfies Record<keyof Quirks, keyof NonNullable<PutBody['quirks']>>;

const quirksBody = (quirks: Quirks): PutBody['quirks'] =>
  Object.fromEntries(
    Object.entries(quirks).map(([name, value]) => [quirkFields[name as keyof Quirks], value]),
  );

/** @throws RequestProblem for credentials that the API would accept as none. */
export function createBodyOf(draft: TrunkDraft): CreateBody {
  return { name: draft.name.trim(), ...settingsOf(draft, false) };
}

/** @throws RequestProblem like createBodyOf. */
export function putBodyOf(draft: TrunkDraft, hasCredentials: boolean): PutBody {
  return {
    ...settingsOf(draft, hasCredentials),
    clear_credentials: draft.authentication === 'address' && hasCredentials,
  };
}

function settingsOf(draft: TrunkDraft, hasCredentials: boolean): PutBody {
  const follows = draft.templateId !== null && draft.followTemplate;
  return {
    template_id: draft.templateId,
    host: draft.host.trim(),
    port: draft.port ?? DEFAULT_PORT,
    transport: draft.transport,
    ...(draft.templateId !== null && { follow_template: follows }),
    ...(!follows && { inbound_source_cidrs: splitSources(draft.sources) }),
    country_code: draft.countryCode.trim() || null,
    national_prefix: draft.nationalPrefix.trim() || null,
    ...credentialsOf(draft, hasCredentials),
    register: draft.authentication === 'register',
    destinations: draft.destinations.map(({ host, port, priority, weight }) => ({
      host: host.trim(),
      port: port ?? DEFAULT_PORT,
      priority: priority ?? LAST_PRIORITY,
      weight: weight ?? 1,
    })),
    codecs: draft.codecs,
    srtp: draft.srtp,
    max_calls: draft.maxCalls,
    calls_per_second: draft.callsPerSecond,
    tech_prefixes: techPrefixesOf(draft),
    quirks: quirksBody(draft.quirks),
  };
}

function credentialsOf({ authentication, username, password }: TrunkDraft, hasCredentials: boolean) {
  if (authentication === 'address') return {};
  if (username.trim() === '') {
    if (hasCredentials) return {};
    throw new RequestProblem('Enter the username that the carrier gave you.', {
      status: 400,
      code: 'invalid_request',
      details: { field: 'username' },
    });
  }
  return { username: username.trim(), ...(password !== '' && { password }) };
}

function techPrefixesOf({ inboundPrefixes, outboundPrefix, redirectPrefix }: TrunkDraft) {
  const outbound = outboundPrefix.trim();
  const redirect = redirectPrefix.trim();
  if (inboundPrefixes.length === 0 && outbound === '' && redirect === '') return null;
  return {
    ...(inboundPrefixes.length > 0 && { inbound: inboundPrefixes }),
    ...(outbound !== '' && { outbound }),
    ...(redirect !== '' && { redirect }),
  };
}

/** Adds one address to a stored trunk, and leaves everything else as it is. Its own addresses replace those of a template. */
export const bodyWithSource = (trunk: OwnTrunk, source: string): PutBody => {
  const draft = draftOf(trunk);
  return putBodyOf(
    { ...draft, followTemplate: false, sources: joinSources([...trunk.inboundSourceCidrs, source]) },
    trunk.hasCredentials,
  );
};
