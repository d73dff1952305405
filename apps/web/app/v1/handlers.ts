/** Endpoint name → the handler that its route file exports. A new endpoint does not compile until it is here. */
import type { EndpointName } from '@clarion/protocol/v1/registry';
import * as apiKey from '../../app/v1/api-keys/[apiKeyId]/route.ts';
import * as apiKeys from '../../app/v1/api-keys/route.ts';
import * as call from '../../app/v1/calls/[callId]/route.ts';
import * as callRecording from '../../app/v1/calls/[callId]/recording/route.ts';
import * as terminate from '../../app/v1/calls/[callId]/terminate/route.ts';
import * as checklist from '../../app/v1/checklist/route.ts';
import * as overview from '../../app/v1/overview/route.ts';
import * as embedSettings from '../../app/v1/embed-settings/route.ts';
import * as event from '../../app/v1/events/[eventId]/route.ts';
import * as redeliver from '../../app/v1/events/[eventId]/redeliver/route.ts';
import * as events from '../../app/v1/events/route.ts';
import * as auditLog from '../../app/v1/audit-log/route.ts';
import * as myPassword from '../../app/v1/me/password/route.ts';
import * as recoveryCodes from '../../app/v1/me/recovery-codes/route.ts';
import * as confirmTwoFactor from '../../app/v1/me/two-factor/confirm/route.ts';
import * as disableTwoFactor from '../../app/v1/me/two-factor/disable/route.ts';
import * as twoFactor from '../../app/v1/me/two-factor/route.ts';
import * as invitation from '../../app/v1/users/[userId]/invitation/route.ts';
import * as user from '../../app/v1/users/[userId]/route.ts';
import * as userSessions from '../../app/v1/users/[userId]/sessions/route.ts';
import * as userTwoFactorReset from '../../app/v1/users/[userId]/two-factor/reset/route.ts';
import * as users from '../../app/v1/users/route.ts';
import * as me from '../../app/v1/me/route.ts';
import * as mySession from '../../app/v1/me/sessions/[sessionId]/route.ts';
import * as mySessions from '../../app/v1/me/sessions/route.ts';
import * as pushCredential from '../../app/v1/push-credentials/[provider]/route.ts';
import * as pushCredentials from '../../app/v1/push-credentials/route.ts';
import * as realtimeTickets from '../../app/v1/realtime-tickets/route.ts';
import * as recordingPolicy from '../../app/v1/recording-policy/route.ts';
import * as signingKey from '../../app/v1/signing-keys/[kid]/route.ts';
import * as signingKeys from '../../app/v1/signing-keys/route.ts';
import * as trunk from '../../app/v1/sip-trunks/[trunkId]/route.ts';
import * as trunks from '../../app/v1/sip-trunks/route.ts';
import * as doNotDisturb from '../../app/v1/tenants/[tenantRef]/agents/[agentRef]/do-not-disturb/route.ts';
import * as deviceTokens from '../../app/v1/tenants/[tenantRef]/agents/[agentRef]/push-tokens/[deviceId]/route.ts';
import * as pushTokens from '../../app/v1/tenants/[tenantRef]/agents/[agentRef]/push-tokens/route.ts';
import * as agent from '../../app/v1/tenants/[tenantRef]/agents/[agentRef]/route.ts';
import * as agents from '../../app/v1/tenants/[tenantRef]/agents/route.ts';
import * as testToken from '../../app/v1/tenants/[tenantRef]/agents/[agentRef]/test-token/route.ts';
import * as audioAssetUrl from '../../app/v1/tenants/[tenantRef]/audio-assets/[assetId]/url/route.ts';
import * as audioAsset from '../../app/v1/tenants/[tenantRef]/audio-assets/[assetId]/route.ts';
import * as audioAssets from '../../app/v1/tenants/[tenantRef]/audio-assets/route.ts';
import * as calls from '../../app/v1/tenants/[tenantRef]/calls/route.ts';
import * as channel from '../../app/v1/tenants/[tenantRef]/channels/[channelRef]/route.ts';
import * as channels from '../../app/v1/tenants/[tenantRef]/channels/route.ts';
import * as eraseCustomer from '../../app/v1/tenants/[tenantRef]/customers/erase/route.ts';
import * as ivrFlow from '../../app/v1/tenants/[tenantRef]/ivr-flows/[flowRef]/route.ts';
import * as ivrFlows from '../../app/v1/tenants/[tenantRef]/ivr-flows/route.ts';
import * as members from '../../app/v1/tenants/[tenantRef]/queues/[queueRef]/members/route.ts';
import * as queue from '../../app/v1/tenants/[tenantRef]/queues/[queueRef]/route.ts';
import * as queues from '../../app/v1/tenants/[tenantRef]/queues/route.ts';
import * as reportAgents from '../../app/v1/tenants/[tenantRef]/reports/agents/route.ts';
import * as reportCalls from '../../app/v1/tenants/[tenantRef]/reports/calls/route.ts';
import * as reportLive from '../../app/v1/tenants/[tenantRef]/reports/live/route.ts';
import * as tenant from '../../app/v1/tenants/[tenantRef]/route.ts';
import * as tenants from '../../app/v1/tenants/route.ts';
import * as usage from '../../app/v1/usage/route.ts';
import * as whatsAppForward from '../../app/v1/webhooks/whatsapp/forward/route.ts';
import * as webhook from '../../app/v1/webhook/route.ts';
import * as webhookSecret from '../../app/v1/webhook/secret/route.ts';
import * as webhookTest from '../../app/v1/webhook/test/route.ts';

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
  putPushToken: deviceTokens.PUT,
  deletePushToken: deviceTokens.DELETE,
  listPushTokens: pushTokens.GET,
  putPushCredentials: pushCredential.PUT,
  getPushCredentials: pushCredential.GET,
  deletePushCredentials: pushCredential.DELETE,
  listPushCredentials: pushCredentials.GET,
  forwardWhatsApp: whatsAppForward.POST,
  listTrunks: trunks.GET,
  getTrunk: trunk.GET,
  createCall: calls.POST,
  listCalls: calls.GET,
  getCall: call.GET,
  patchCall: call.PATCH,
  deleteCall: call.DELETE,
  getRecording: callRecording.GET,
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
  listUsage: usage.GET,
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
