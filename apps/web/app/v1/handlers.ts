/** The handlers of all endpoints by name, from their route files. A new endpoint does not compile until it is listed here. */
import type { EndpointName } from '@clarion/protocol/v1/registry';
import * as apiKey from './api-keys/[apiKeyId]/route.ts';
import * as apiKeys from './api-keys/route.ts';
import * as billing from './billing/route.ts';
import * as billingTransactions from './billing/transactions/route.ts';
import * as call from './calls/[callId]/route.ts';
import * as callLadder from './calls/[callId]/ladder/route.ts';
import * as callRecording from './calls/[callId]/recording/route.ts';
import * as terminate from './calls/[callId]/terminate/route.ts';
import * as ownInvoiceCsv from './billing/invoices/[invoiceId]/csv/route.ts';
import * as ownInvoicePdf from './billing/invoices/[invoiceId]/pdf/route.ts';
import * as ownInvoices from './billing/invoices/route.ts';
import * as checklist from './checklist/route.ts';
import * as overview from './overview/route.ts';
import * as embedSettings from './embed-settings/route.ts';
import * as event from './events/[eventId]/route.ts';
import * as redeliver from './events/[eventId]/redeliver/route.ts';
import * as events from './events/route.ts';
import * as auditLog from './audit-log/route.ts';
import * as myPassword from './me/password/route.ts';
import * as recoveryCodes from './me/recovery-codes/route.ts';
import * as confirmTwoFactor from './me/two-factor/confirm/route.ts';
import * as disableTwoFactor from './me/two-factor/disable/route.ts';
import * as twoFactor from './me/two-factor/route.ts';
import * as invitation from './users/[userId]/invitation/route.ts';
import * as user from './users/[userId]/route.ts';
import * as userSessions from './users/[userId]/sessions/route.ts';
import * as userTwoFactorReset from './users/[userId]/two-factor/reset/route.ts';
import * as users from './users/route.ts';
import * as me from './me/route.ts';
import * as mySession from './me/sessions/[sessionId]/route.ts';
import * as mySessions from './me/sessions/route.ts';
import * as pushCredential from './push-credentials/[provider]/route.ts';
import * as pushCredentialsTest from './push-credentials/[provider]/test/route.ts';
import * as pushCredentials from './push-credentials/route.ts';
import * as realtimeTickets from './realtime-tickets/route.ts';
import * as pricePlan from './price-plans/[planId]/route.ts';
import * as pricePlans from './price-plans/route.ts';
import * as rateDecks from './rate-decks/route.ts';
import * as rateDeck from './rate-decks/[deckId]/route.ts';
import * as rateEntries from './rate-decks/[deckId]/entries/route.ts';
import * as rateEntry from './rate-decks/[deckId]/entries/[entryId]/route.ts';
import * as rateExport from './rate-decks/[deckId]/export/route.ts';
import * as rateImport from './rate-decks/[deckId]/import/route.ts';
import * as rateImportPreview from './rate-decks/[deckId]/import/preview/route.ts';
import * as rateLookup from './rate-decks/[deckId]/lookup/route.ts';
import * as recordingPolicy from './recording-policy/route.ts';
import * as signingKey from './signing-keys/[kid]/route.ts';
import * as signingKeys from './signing-keys/route.ts';
import * as carrierTemplates from './carrier-templates/route.ts';
import * as numbers from './numbers/route.ts';
import * as trunkRateDecks from './sip-trunks/[trunkId]/rate-decks/route.ts';
import * as trunkStatus from './sip-trunks/[trunkId]/status/route.ts';
import * as trunkSubmit from './sip-trunks/[trunkId]/submit/route.ts';
import * as trunkDiagnostics from './sip-trunks/[trunkId]/diagnostics/route.ts';
import * as trunkTest from './sip-trunks/[trunkId]/test/route.ts';
import * as trunk from './sip-trunks/[trunkId]/route.ts';
import * as refusalLadder from './sip-trunks/[trunkId]/refusals/[refusalId]/ladder/route.ts';
import * as trunks from './sip-trunks/route.ts';
import * as doNotDisturb from './tenants/[tenantRef]/agents/[agentRef]/do-not-disturb/route.ts';
import * as deviceTokens from './tenants/[tenantRef]/agents/[agentRef]/push-tokens/[deviceId]/route.ts';
import * as pushTokens from './tenants/[tenantRef]/agents/[agentRef]/push-tokens/route.ts';
import * as agent from './tenants/[tenantRef]/agents/[agentRef]/route.ts';
import * as agents from './tenants/[tenantRef]/agents/route.ts';
import * as testToken from './tenants/[tenantRef]/agents/[agentRef]/test-token/route.ts';
import * as audioAssetUrl from './tenants/[tenantRef]/audio-assets/[assetId]/url/route.ts';
import * as audioAsset from './tenants/[tenantRef]/audio-assets/[assetId]/route.ts';
import * as audioAssets from './tenants/[tenantRef]/audio-assets/route.ts';
import * as billingAccount from './tenants/[tenantRef]/billing-account/route.ts';
import * as adjustments from './tenants/[tenantRef]/billing/adjustments/route.ts';
import * as invoiceCsv from './tenants/[tenantRef]/billing/invoices/[invoiceId]/csv/route.ts';
import * as invoicePaid from './tenants/[tenantRef]/billing/invoices/[invoiceId]/mark-paid/route.ts';
import * as invoicePdf from './tenants/[tenantRef]/billing/invoices/[invoiceId]/pdf/route.ts';
import * as invoices from './tenants/[tenantRef]/billing/invoices/route.ts';
import * as tenantBilling from './tenants/[tenantRef]/billing/route.ts';
import * as topUps from './tenants/[tenantRef]/billing/top-ups/route.ts';
import * as transactions from './tenants/[tenantRef]/billing/transactions/route.ts';
import * as calls from './tenants/[tenantRef]/calls/route.ts';
import * as channel from './tenants/[tenantRef]/channels/[channelRef]/route.ts';
import * as channels from './tenants/[tenantRef]/channels/route.ts';
import * as whatsAppStatus from './tenants/[tenantRef]/channels/[channelRef]/whatsapp-status/route.ts';
import * as eraseCustomer from './tenants/[tenantRef]/customers/erase/route.ts';
import * as ivrFlow from './tenants/[tenantRef]/ivr-flows/[flowRef]/route.ts';
import * as ivrFlows from './tenants/[tenantRef]/ivr-flows/route.ts';
import * as members from './tenants/[tenantRef]/queues/[queueRef]/members/route.ts';
import * as queue from './tenants/[tenantRef]/queues/[queueRef]/route.ts';
import * as queues from './tenants/[tenantRef]/queues/route.ts';
import * as tenantPricePlan from './tenants/[tenantRef]/price-plan/route.ts';
import * as reportAgents from './tenants/[tenantRef]/reports/agents/route.ts';
import * as reportCalls from './tenants/[tenantRef]/reports/calls/route.ts';
import * as reportLive from './tenants/[tenantRef]/reports/live/route.ts';
import * as tenant from './tenants/[tenantRef]/route.ts';
import * as tenants from './tenants/route.ts';
import * as routePreview from './route-preview/route.ts';
import * as usage from './usage/route.ts';
import * as usageReprice from './usage/reprice/route.ts';
import * as whatsAppPermission from './tenants/[tenantRef]/customers/whatsapp-permission/route.ts';
import * as whatsAppForward from './webhooks/whatsapp/forward/route.ts';
import * as webhook from './webhook/route.ts';
import * as webhookSecret from './webhook/secret/route.ts';
import * as webhookTest from './webhook/test/route.ts';

export const handlers = {
  putTenant: tenant.PUT,
  getTenant: tenant.GET,
  deleteTenant: tenant.DELETE,
  listTenants: tenants.GET,
  putAgent: agent.PUT,
  getAgent: agent.GET,
  deleteAgent: agent.DELETE,
  listAgents: agents.GET,
  putDoNotDisturb: doNotDisturb.PUT,
  createTestToken: testToken.POST,
  putQueue: queue.PUT,
  getQueue: queue.GET,
  deleteQueue: queue.DELETE,
  listQueues: queues.GET,
  putQueueMembers: members.PUT,
  getQueueMembers: members.GET,
  putIvrFlow: ivrFlow.PUT,
  getIvrFlow: ivrFlow.GET,
  listIvrFlows: ivrFlows.GET,
  deleteIvrFlow: ivrFlow.DELETE,
  putChannel: channel.PUT,
  getChannel: channel.GET,
  deleteChannel: channel.DELETE,
  listChannels: channels.GET,
  getWhatsAppStatus: whatsAppStatus.GET,
  putPushToken: deviceTokens.PUT,
  deletePushToken: deviceTokens.DELETE,
  listPushTokens: pushTokens.GET,
  putPushCredentials: pushCredential.PUT,
  getPushCredentials: pushCredential.GET,
  testPushCredentials: pushCredentialsTest.POST,
  deletePushCredentials: pushCredential.DELETE,
  listPushCredentials: pushCredentials.GET,
  forwardWhatsApp: whatsAppForward.POST,
  getWhatsAppPermission: whatsAppPermission.GET,
  requestWhatsAppPermission: whatsAppPermission.POST,
  listTrunks: trunks.GET,
  getTrunk: trunk.GET,
  createTrunk: trunks.POST,
  putTrunk: trunk.PUT,
  submitTrunk: trunkSubmit.POST,
  setTrunkStatus: trunkStatus.POST,
  deleteTrunk: trunk.DELETE,
  listCarrierTemplates: carrierTemplates.GET,
  listNumbers: numbers.GET,
  getTrunkDiagnostics: trunkDiagnostics.GET,
  testTrunk: trunkTest.POST,
  createCall: calls.POST,
  listCalls: calls.GET,
  getCall: call.GET,
  patchCall: call.PATCH,
  deleteCall: call.DELETE,
  getRecording: callRecording.GET,
  getCallLadder: callLadder.GET,
  getRefusalLadder: refusalLadder.GET,
  eraseCustomer: eraseCustomer.POST,
  createAudioAsset: audioAssets.POST,
  listAudioAssets: audioAssets.GET,
  getAudioAsset: audioAsset.GET,
  getAudioAssetUrl: audioAssetUrl.GET,
  deleteAudioAsset: audioAsset.DELETE,
  terminateCall: terminate.POST,
  createRealtimeTicket: realtimeTickets.POST,
  reportCalls: reportCalls.GET,
  reportAgents: reportAgents.GET,
  reportLive: reportLive.GET,
  getOverview: overview.GET,
  getChecklist: checklist.GET,
  previewRoute: routePreview.POST,
  listUsage: usage.GET,
  repriceUsage: usageReprice.POST,
  putTrunkRateDecks: trunkRateDecks.PUT,
  listPricePlans: pricePlans.GET,
  createPricePlan: pricePlans.POST,
  getPricePlan: pricePlan.GET,
  putPricePlan: pricePlan.PUT,
  deletePricePlan: pricePlan.DELETE,
  putTenantPricePlan: tenantPricePlan.PUT,
  getTenantBilling: tenantBilling.GET,
  listTransactions: transactions.GET,
  listInvoices: invoices.GET,
  markInvoicePaid: invoicePaid.POST,
  getInvoicePdf: invoicePdf.GET,
  getInvoiceCsv: invoiceCsv.GET,
  listBillingInvoices: ownInvoices.GET,
  getBillingInvoicePdf: ownInvoicePdf.GET,
  getBillingInvoiceCsv: ownInvoiceCsv.GET,
  putBillingAccount: billingAccount.PUT,
  createTopUp: topUps.POST,
  createAdjustment: adjustments.POST,
  getBilling: billing.GET,
  listBillingTransactions: billingTransactions.GET,
  listRateDecks: rateDecks.GET,
  createRateDeck: rateDecks.POST,
  getRateDeck: rateDeck.GET,
  putRateDeck: rateDeck.PUT,
  deleteRateDeck: rateDeck.DELETE,
  listRateEntries: rateEntries.GET,
  createRateEntry: rateEntries.POST,
  getRateEntry: rateEntry.GET,
  putRateEntry: rateEntry.PUT,
  deleteRateEntry: rateEntry.DELETE,
  lookupRate: rateLookup.GET,
  exportRateDeck: rateExport.GET,
  importRateDeck: rateImport.POST,
  previewRateImport: rateImportPreview.POST,
  putWebhook: webhook.PUT,
  getWebhook: webhook.GET,
  rotateWebhookSecret: webhookSecret.POST,
  testWebhook: webhookTest.POST,
  listEvents: events.GET,
  getEvent: event.GET,
  redeliverEvent: redeliver.POST,
  createApiKey: apiKeys.POST,
  listApiKeys: apiKeys.GET,
  deleteApiKey: apiKey.DELETE,
  createSigningKey: signingKeys.POST,
  listSigningKeys: signingKeys.GET,
  deleteSigningKey: signingKey.DELETE,
  putRecordingPolicy: recordingPolicy.PUT,
  getRecordingPolicy: recordingPolicy.GET,
  putEmbedSettings: embedSettings.PUT,
  getEmbedSettings: embedSettings.GET,
  getMe: me.GET,
  patchMe: me.PATCH,
  changePassword: myPassword.POST,
  startTwoFactor: twoFactor.POST,
  confirmTwoFactor: confirmTwoFactor.POST,
  disableTwoFactor: disableTwoFactor.POST,
  renewRecoveryCodes: recoveryCodes.POST,
  listUsers: users.GET,
  createUser: users.POST,
  patchUser: user.PATCH,
  deleteUser: user.DELETE,
  inviteUserAgain: invitation.POST,
  deleteUserSessions: userSessions.DELETE,
  resetUserTwoFactor: userTwoFactorReset.POST,
  listAuditLog: auditLog.GET,
  listMySessions: mySessions.GET,
  deleteMySession: mySession.DELETE,
} satisfies Record<EndpointName, (request: Request) => Promise<Response>>;
