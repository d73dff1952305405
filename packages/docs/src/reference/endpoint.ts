/** An endpoint of the registry with its page name and title in the reference. */
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import type { Noun } from './nouns.ts';
import { nounOf } from './nouns.ts';

export interface DescribedEndpoint {
  /** Its name in the registry and in the Node client: `putQueue`. */
  name: string;
  definition: EndpointDefinition;
  noun: Noun;
  /** `reference/put-queue` */
  page: string;
  /** `Create or replace a queue` */
  title: string;
}

export function describeEndpoints(all: Readonly<Record<string, EndpointDefinition>>): DescribedEndpoint[] {
  return Object.entries(all).map(([name, definition]) => ({
    name,
    definition,
    noun: nounOf(definition.path),
    page: `reference/${kebab(name)}`,
    title: titleOf(name),
  }));
}

const wordsOf = (name: string) =>
  name
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
    .trim()
    .split(' ');
const kebab = (name: string) => wordsOf(name.replace('WhatsApp', 'Whatsapp')).join('-');

const ABBREVIATIONS: Record<string, string> = { api: 'API', ivr: 'IVR', sip: 'SIP', url: 'URL' };
const verbs: Record<string, string> = { put: 'Create or replace', get: 'Get', list: 'List' };
/** For endpoints whose name does not make a good title. */
const titles: Record<string, string> = {
  putDoNotDisturb: 'Set do not disturb',
  putPushToken: 'Register a push token',
  deletePushToken: "Delete a device's push tokens",
  putPushCredentials: 'Set push credentials',
  testPushCredentials: 'Send a test push',
  putQueueMembers: 'Replace the members of a queue',
  getQueueMembers: 'Get the members of a queue',
  putChannel: 'Create or replace a channel',
  getChannel: 'Get a channel',
  listChannels: 'List channels',
  deleteChannel: 'Delete a channel',
  createCall: 'Create an outbound call',
  terminateCall: 'End a call',
  patchCall: 'Change your data on a call',
  getRecording: 'Get the recording of a call',
  getCallLadder: 'Get the SIP ladder of a call',
  getRefusalLadder: 'Get the SIP ladder of a refused call',
  createAudioAsset: 'Create an audio asset',
  getAudioAsset: 'Get an audio asset',
  listAudioAssets: 'List audio assets',
  getAudioAssetUrl: 'Get the URL of an audio asset',
  deleteAudioAsset: 'Delete an audio asset',
  reportCalls: 'Report on calls',
  reportAgents: 'Report on agents',
  reportLive: 'Get the current state',
  putWebhook: 'Replace the webhook settings',
  getWebhook: 'Get the webhook settings',
  rotateWebhookSecret: 'Rotate the webhook secret',
  testWebhook: 'Send a test event',
  createTestToken: 'Create a test token for an agent',
  redeliverEvent: 'Redeliver an event',
  forwardWhatsApp: 'Forward a WhatsApp webhook',
  getWhatsAppStatus: 'Check the connection of a channel to WhatsApp',
  getWhatsAppPermission: 'Get the permission to call a WhatsApp customer',
  requestWhatsAppPermission: 'Ask a WhatsApp customer for the permission to call',
  putRecordingPolicy: 'Set the recording policy',
  getRecordingPolicy: 'Get the recording policy',
  putTenantPricePlan: 'Set the price plan of a tenant',
  getTenantBilling: 'Get the billing account of a tenant',
  putBillingAccount: 'Set the billing account of a tenant',
  getInvoicePdf: 'Download an invoice as PDF',
  getInvoiceCsv: 'Download an invoice as CSV',
  listInvoices: 'List the invoices of a tenant',
  listBillingInvoices: 'List the invoices of your account',
  getBillingInvoicePdf: 'Download an invoice of your account as PDF',
  getBillingInvoiceCsv: 'Download an invoice of your account as CSV',
  createTopUp: 'Top up a balance',
  createAdjustment: 'Adjust a balance',
  getBilling: 'Get your own billing account',
  listBillingTransactions: 'List the transactions of your own billing account',
  markInvoicePaid: 'Mark an invoice as paid',
  setTrunkStatus: 'Enable or disable a trunk',
  getTrunkDiagnostics: 'Get the diagnostics of a trunk',
  putTrunkRateDecks: 'Set the rate decks of a trunk',
  lookupRate: 'Look up a price',
  importRateDeck: 'Import a rate deck',
  previewRateImport: 'Preview an import',
};

/** Plural nouns, and nouns of which a consumer has only one, take no article. */
const withArticle = (noun: string) => {
  if (/[^s]s$|policy$|usage$|billing$/i.test(noun)) return noun;
  return `${/^[aeio]|^(?:API|IVR)/.test(noun) ? 'an' : 'a'} ${noun}`;
};

function titleOf(name: string): string {
  const [verb = '', ...rest] = wordsOf(name);
  const noun = rest.map((word) => ABBREVIATIONS[word] ?? word).join(' ');
  const action = verbs[verb] ?? verb.charAt(0).toUpperCase() + verb.slice(1);
  return titles[name] ?? `${action} ${verb === 'list' ? noun : withArticle(noun)}`.trim();
}
