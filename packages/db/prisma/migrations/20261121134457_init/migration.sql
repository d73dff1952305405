-- CreateEnum
CREATE TYPE "ConsumerStatus" AS ENUM ('ACTIVE', 'SUSPENDED');

-- CreateEnum
CREATE TYPE "SelfService" AS ENUM ('OFF', 'APPROVAL', 'AUTO');

-- CreateEnum
CREATE TYPE "TenantStatus" AS ENUM ('ACTIVE', 'SUSPENDED');

-- CreateEnum
CREATE TYPE "AgentRole" AS ENUM ('AGENT', 'SUPERVISOR');

-- CreateEnum
CREATE TYPE "ShiftStatus" AS ENUM ('AVAILABLE', 'OFFLINE');

-- CreateEnum
CREATE TYPE "QueueStrategy" AS ENUM ('ROUND_ROBIN', 'RING_ALL', 'PRIORITY');

-- CreateEnum
CREATE TYPE "ChannelType" AS ENUM ('WHATSAPP', 'SIP');

-- CreateEnum
CREATE TYPE "ChannelStatus" AS ENUM ('ACTIVE', 'DISABLED');

-- CreateEnum
CREATE TYPE "TrunkStatus" AS ENUM ('DRAFT', 'PENDING', 'ACTIVE', 'DISABLED', 'SUSPENDED');

-- CreateEnum
CREATE TYPE "TrunkTransport" AS ENUM ('UDP', 'TCP', 'TLS');

-- CreateEnum
CREATE TYPE "NumberOrigin" AS ENUM ('BYOC', 'PLATFORM');

-- CreateEnum
CREATE TYPE "NumberStatus" AS ENUM ('ASSIGNED', 'RELEASED');

-- CreateEnum
CREATE TYPE "CallDirection" AS ENUM ('INBOUND', 'OUTBOUND');

-- CreateEnum
CREATE TYPE "CallStatus" AS ENUM ('INITIATED', 'RINGING', 'IN_PROGRESS', 'TERMINATED', 'FAILED');

-- CreateEnum
CREATE TYPE "MediaPath" AS ENUM ('DIRECT', 'ROOM');

-- CreateEnum
CREATE TYPE "EventStatus" AS ENUM ('PENDING', 'DELIVERED', 'FAILED', 'DISCARDED');

-- CreateTable
CREATE TABLE "Consumer" (
    "id" SERIAL NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" "ConsumerStatus" NOT NULL DEFAULT 'ACTIVE',
    "selfService" "SelfService" NOT NULL DEFAULT 'APPROVAL',
    "recordingEnabled" BOOLEAN NOT NULL DEFAULT false,
    "webhookUrl" TEXT,
    "lookupUrl" TEXT,
    "webhookEventTypes" JSONB,
    "webhookSecretSealed" TEXT,
    "previousSecretSealed" TEXT,
    "previousSecretUntil" TIMESTAMPTZ(3),
    "planCallsAtOnce" INTEGER NOT NULL DEFAULT 100,
    "planOutboundPerMinute" INTEGER NOT NULL DEFAULT 600,
    "planCountries" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Consumer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ApiKey" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "expiresAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "lastUsedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ApiKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SigningKey" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "kid" TEXT NOT NULL,
    "name" TEXT,
    "secretSealed" TEXT NOT NULL,
    "revokedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SigningKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IdempotencyKey" (
    "id" BIGSERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "requestHash" TEXT NOT NULL,
    "status" INTEGER,
    "body" JSONB,
    "claimedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "IdempotencyKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "RateWindow" (
    "consumerId" INTEGER NOT NULL,
    "minute" INTEGER NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "RateWindow_pkey" PRIMARY KEY ("consumerId","minute")
);

-- CreateTable
CREATE TABLE "AuditEntry" (
    "id" BIGSERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "tenantId" INTEGER,
    "actorKind" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "details" JSONB,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AuditEntry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Tenant" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" "TenantStatus" NOT NULL DEFAULT 'ACTIVE',
    "settings" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Tenant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Agent" (
    "id" SERIAL NOT NULL,
    "tenantId" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" "AgentRole" NOT NULL DEFAULT 'AGENT',
    "doNotDisturb" BOOLEAN NOT NULL DEFAULT false,
    "shift" "ShiftStatus" NOT NULL DEFAULT 'OFFLINE',
    "currentCallId" INTEGER,
    "onCall" BOOLEAN NOT NULL DEFAULT false,
    "idleSince" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "consecutiveMissed" INTEGER NOT NULL DEFAULT 0,
    "deletedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Agent_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AgentConnection" (
    "socketId" TEXT NOT NULL,
    "agentId" INTEGER NOT NULL,
    "deviceId" TEXT NOT NULL,
    "nodeId" TEXT NOT NULL,
    "connectedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AgentConnection_pkey" PRIMARY KEY ("socketId")
);

-- CreateTable
CREATE TABLE "PushToken" (
    "id" SERIAL NOT NULL,
    "agentId" INTEGER NOT NULL,
    "deviceId" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "tokenSealed" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "PushToken_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Queue" (
    "id" SERIAL NOT NULL,
    "tenantId" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "strategy" "QueueStrategy" NOT NULL DEFAULT 'ROUND_ROBIN',
    "ringTimeoutSeconds" INTEGER NOT NULL DEFAULT 20,
    "maxWaitSeconds" INTEGER,
    "overflowQueueId" INTEGER,
    "holdAudioAssetId" INTEGER,
    "maxActiveCalls" INTEGER,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Queue_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "QueueMember" (
    "queueId" INTEGER NOT NULL,
    "agentId" INTEGER NOT NULL,
    "priority" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "QueueMember_pkey" PRIMARY KEY ("queueId","agentId")
);

-- CreateTable
CREATE TABLE "Channel" (
    "id" SERIAL NOT NULL,
    "tenantId" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "type" "ChannelType" NOT NULL,
    "displayName" TEXT,
    "address" TEXT NOT NULL,
    "providerAccountId" TEXT,
    "sipTrunkId" INTEGER,
    "credentialsSealed" TEXT,
    "inboundQueueId" INTEGER,
    "ownerAgentId" INTEGER,
    "ringTimeoutSeconds" INTEGER,
    "recordingEnabled" BOOLEAN,
    "status" "ChannelStatus" NOT NULL DEFAULT 'ACTIVE',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Channel_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SipTrunk" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER,
    "name" TEXT NOT NULL,
    "status" "TrunkStatus" NOT NULL DEFAULT 'DRAFT',
    "host" TEXT NOT NULL,
    "port" INTEGER NOT NULL DEFAULT 5060,
    "transport" "TrunkTransport" NOT NULL DEFAULT 'UDP',
    "inboundSourceCidrs" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "ingressLabel" TEXT NOT NULL,
    "numberRules" JSONB,
    "techPrefixes" JSONB,
    "quirks" JSONB NOT NULL DEFAULT '{}',
    "codecs" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "username" TEXT,
    "passwordSealed" TEXT,
    "reviewNote" TEXT,
    "submittedAt" TIMESTAMPTZ(3),
    "reviewedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "SipTrunk_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SipRefusal" (
    "id" BIGSERIAL NOT NULL,
    "trunkId" INTEGER,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "SipRefusal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "PhoneNumber" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "tenantId" INTEGER,
    "sipTrunkId" INTEGER NOT NULL,
    "channelId" INTEGER,
    "number" TEXT NOT NULL,
    "origin" "NumberOrigin" NOT NULL,
    "status" "NumberStatus" NOT NULL DEFAULT 'ASSIGNED',
    "tenantRef" TEXT,
    "channelRef" TEXT,
    "verifiedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "releasedAt" TIMESTAMPTZ(3),

    CONSTRAINT "PhoneNumber_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Call" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "tenantId" INTEGER NOT NULL,
    "direction" "CallDirection" NOT NULL,
    "status" "CallStatus" NOT NULL DEFAULT 'INITIATED',
    "channelId" INTEGER,
    "channelRef" TEXT NOT NULL,
    "channelType" "ChannelType" NOT NULL,
    "sipTrunkId" INTEGER,
    "queueId" INTEGER,
    "queueRef" TEXT,
    "agentId" INTEGER,
    "agentRef" TEXT,
    "customerAddress" TEXT,
    "customerAddressType" TEXT NOT NULL,
    "customerName" TEXT,
    "externalRef" TEXT,
    "consumerMetadata" JSONB,
    "terminationReason" TEXT,
    "terminatedBy" TEXT,
    "failureDetails" JSONB,
    "mediaPath" "MediaPath",
    "inviteId" UUID,
    "eventSequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ringingAt" TIMESTAMPTZ(3),
    "queuedAt" TIMESTAMPTZ(3),
    "answeredAt" TIMESTAMPTZ(3),
    "endedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Call_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "LiveCall" (
    "callId" INTEGER NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "tenantId" INTEGER NOT NULL,
    "state" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,
    "leaseNodeId" TEXT,
    "mediaNodeId" TEXT,
    "nextDeadlineAt" TIMESTAMPTZ(3),
    "waitingQueueId" INTEGER,
    "waitingSince" TIMESTAMPTZ(3),
    "activeQueueId" INTEGER,

    CONSTRAINT "LiveCall_pkey" PRIMARY KEY ("callId")
);

-- CreateTable
CREATE TABLE "CallParticipant" (
    "id" BIGSERIAL NOT NULL,
    "callId" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "agentId" INTEGER,
    "agentRef" TEXT,
    "deviceId" TEXT,
    "listenerName" TEXT,
    "joinedAt" TIMESTAMPTZ(3) NOT NULL,
    "leftAt" TIMESTAMPTZ(3),
    "leaveReason" TEXT,

    CONSTRAINT "CallParticipant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "CallLeg" (
    "callId" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "agentId" INTEGER,
    "deviceId" TEXT,
    "state" TEXT NOT NULL,
    "connectedAt" TIMESTAMPTZ(3),
    "disconnectedAt" TIMESTAMPTZ(3),
    "stats" JSONB,

    CONSTRAINT "CallLeg_pkey" PRIMARY KEY ("callId","type")
);

-- CreateTable
CREATE TABLE "CallLifecycle" (
    "id" BIGSERIAL NOT NULL,
    "callId" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "agentId" INTEGER,
    "occurredAt" TIMESTAMPTZ(3) NOT NULL,
    "durationSeconds" INTEGER,
    "metadata" JSONB,

    CONSTRAINT "CallLifecycle_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "CallTransfer" (
    "id" SERIAL NOT NULL,
    "callId" INTEGER NOT NULL,
    "fromAgentId" INTEGER,
    "toAgentId" INTEGER,
    "toQueueId" INTEGER,
    "initiatedByAgentId" INTEGER,
    "initiatedByType" TEXT NOT NULL,
    "transferredAt" TIMESTAMPTZ(3) NOT NULL,
    "acceptedAt" TIMESTAMPTZ(3),

    CONSTRAINT "CallTransfer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Event" (
    "id" BIGSERIAL NOT NULL,
    "eventId" UUID NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "tenantId" INTEGER,
    "tenantRef" TEXT,
    "callId" INTEGER,
    "type" TEXT NOT NULL,
    "sequence" INTEGER,
    "body" TEXT NOT NULL,
    "occurredAt" TIMESTAMPTZ(3) NOT NULL,
    "status" "EventStatus" NOT NULL DEFAULT 'PENDING',
    "attemptCount" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAt" TIMESTAMPTZ(3),

    CONSTRAINT "Event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "EventAttempt" (
    "id" BIGSERIAL NOT NULL,
    "eventRowId" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" INTEGER,
    "durationMs" INTEGER NOT NULL,
    "error" TEXT,
    "responseSnippet" TEXT,

    CONSTRAINT "EventAttempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "RealtimeNode" (
    "id" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeatAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "RealtimeNode_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "WorkerNode" (
    "id" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeatAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WorkerNode_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "Consumer_slug_key" ON "Consumer"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_prefix_key" ON "ApiKey"("prefix");

-- CreateIndex
CREATE INDEX "ApiKey_consumerId_idx" ON "ApiKey"("consumerId");

-- CreateIndex
CREATE UNIQUE INDEX "SigningKey_consumerId_kid_key" ON "SigningKey"("consumerId", "kid");

-- CreateIndex
CREATE INDEX "IdempotencyKey_createdAt_idx" ON "IdempotencyKey"("createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "IdempotencyKey_consumerId_key_key" ON "IdempotencyKey"("consumerId", "key");

-- CreateIndex
CREATE INDEX "AuditEntry_consumerId_id_idx" ON "AuditEntry"("consumerId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Tenant_consumerId_ref_key" ON "Tenant"("consumerId", "ref");

-- CreateIndex
CREATE INDEX "Agent_currentCallId_idx" ON "Agent"("currentCallId");

-- CreateIndex
CREATE UNIQUE INDEX "Agent_tenantId_ref_key" ON "Agent"("tenantId", "ref");

-- CreateIndex
CREATE INDEX "AgentConnection_agentId_idx" ON "AgentConnection"("agentId");

-- CreateIndex
CREATE INDEX "AgentConnection_nodeId_idx" ON "AgentConnection"("nodeId");

-- CreateIndex
CREATE UNIQUE INDEX "PushToken_agentId_deviceId_provider_key" ON "PushToken"("agentId", "deviceId", "provider");

-- CreateIndex
CREATE UNIQUE INDEX "Queue_tenantId_ref_key" ON "Queue"("tenantId", "ref");

-- CreateIndex
CREATE INDEX "QueueMember_agentId_idx" ON "QueueMember"("agentId");

-- CreateIndex
CREATE UNIQUE INDEX "Channel_providerAccountId_key" ON "Channel"("providerAccountId");

-- CreateIndex
CREATE INDEX "Channel_address_idx" ON "Channel"("address");

-- CreateIndex
CREATE UNIQUE INDEX "Channel_tenantId_ref_key" ON "Channel"("tenantId", "ref");

-- CreateIndex
CREATE UNIQUE INDEX "Channel_sipTrunkId_address_key" ON "Channel"("sipTrunkId", "address");

-- CreateIndex
CREATE UNIQUE INDEX "SipTrunk_ingressLabel_key" ON "SipTrunk"("ingressLabel");

-- CreateIndex
CREATE UNIQUE INDEX "SipTrunk_consumerId_name_key" ON "SipTrunk"("consumerId", "name");

-- CreateIndex
CREATE INDEX "SipRefusal_trunkId_at_idx" ON "SipRefusal"("trunkId", "at");

-- CreateIndex
CREATE UNIQUE INDEX "PhoneNumber_channelId_key" ON "PhoneNumber"("channelId");

-- CreateIndex
CREATE INDEX "PhoneNumber_consumerId_status_idx" ON "PhoneNumber"("consumerId", "status");

-- CreateIndex
CREATE UNIQUE INDEX "Call_inviteId_key" ON "Call"("inviteId");

-- CreateIndex
CREATE INDEX "Call_tenantId_createdAt_id_idx" ON "Call"("tenantId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "Call_tenantId_customerAddress_idx" ON "Call"("tenantId", "customerAddress");

-- CreateIndex
CREATE INDEX "Call_tenantId_externalRef_idx" ON "Call"("tenantId", "externalRef");

-- CreateIndex
CREATE INDEX "Call_tenantId_agentId_idx" ON "Call"("tenantId", "agentId");

-- CreateIndex
CREATE INDEX "Call_tenantId_status_idx" ON "Call"("tenantId", "status");

-- CreateIndex
CREATE INDEX "LiveCall_waitingQueueId_waitingSince_idx" ON "LiveCall"("waitingQueueId", "waitingSince");

-- CreateIndex
CREATE INDEX "LiveCall_leaseNodeId_idx" ON "LiveCall"("leaseNodeId");

-- CreateIndex
CREATE INDEX "LiveCall_nextDeadlineAt_idx" ON "LiveCall"("nextDeadlineAt");

-- CreateIndex
CREATE INDEX "LiveCall_consumerId_idx" ON "LiveCall"("consumerId");

-- CreateIndex
CREATE INDEX "LiveCall_tenantId_idx" ON "LiveCall"("tenantId");

-- CreateIndex
CREATE INDEX "CallParticipant_callId_idx" ON "CallParticipant"("callId");

-- CreateIndex
CREATE INDEX "CallLifecycle_callId_idx" ON "CallLifecycle"("callId");

-- CreateIndex
CREATE INDEX "CallTransfer_callId_idx" ON "CallTransfer"("callId");

-- CreateIndex
CREATE UNIQUE INDEX "Event_eventId_key" ON "Event"("eventId");

-- CreateIndex
CREATE INDEX "Event_consumerId_id_idx" ON "Event"("consumerId", "id");

-- CreateIndex
CREATE INDEX "Event_callId_idx" ON "Event"("callId");

-- CreateIndex
CREATE INDEX "EventAttempt_eventRowId_idx" ON "EventAttempt"("eventRowId");

-- AddForeignKey
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SigningKey" ADD CONSTRAINT "SigningKey_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IdempotencyKey" ADD CONSTRAINT "IdempotencyKey_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AuditEntry" ADD CONSTRAINT "AuditEntry_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Tenant" ADD CONSTRAINT "Tenant_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Agent" ADD CONSTRAINT "Agent_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AgentConnection" ADD CONSTRAINT "AgentConnection_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PushToken" ADD CONSTRAINT "PushToken_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Queue" ADD CONSTRAINT "Queue_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Queue" ADD CONSTRAINT "Queue_overflowQueueId_fkey" FOREIGN KEY ("overflowQueueId") REFERENCES "Queue"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "QueueMember" ADD CONSTRAINT "QueueMember_queueId_fkey" FOREIGN KEY ("queueId") REFERENCES "Queue"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "QueueMember" ADD CONSTRAINT "QueueMember_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Channel" ADD CONSTRAINT "Channel_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Channel" ADD CONSTRAINT "Channel_sipTrunkId_fkey" FOREIGN KEY ("sipTrunkId") REFERENCES "SipTrunk"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Channel" ADD CONSTRAINT "Channel_inboundQueueId_fkey" FOREIGN KEY ("inboundQueueId") REFERENCES "Queue"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Channel" ADD CONSTRAINT "Channel_ownerAgentId_fkey" FOREIGN KEY ("ownerAgentId") REFERENCES "Agent"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SipTrunk" ADD CONSTRAINT "SipTrunk_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SipRefusal" ADD CONSTRAINT "SipRefusal_trunkId_fkey" FOREIGN KEY ("trunkId") REFERENCES "SipTrunk"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PhoneNumber" ADD CONSTRAINT "PhoneNumber_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PhoneNumber" ADD CONSTRAINT "PhoneNumber_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PhoneNumber" ADD CONSTRAINT "PhoneNumber_sipTrunkId_fkey" FOREIGN KEY ("sipTrunkId") REFERENCES "SipTrunk"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PhoneNumber" ADD CONSTRAINT "PhoneNumber_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Call" ADD CONSTRAINT "Call_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Call" ADD CONSTRAINT "Call_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "LiveCall" ADD CONSTRAINT "LiveCall_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "CallParticipant" ADD CONSTRAINT "CallParticipant_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "CallLeg" ADD CONSTRAINT "CallLeg_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "CallLifecycle" ADD CONSTRAINT "CallLifecycle_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "CallTransfer" ADD CONSTRAINT "CallTransfer_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Event" ADD CONSTRAINT "Event_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Event" ADD CONSTRAINT "Event_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "EventAttempt" ADD CONSTRAINT "EventAttempt_eventRowId_fkey" FOREIGN KEY ("eventRowId") REFERENCES "Event"("id") ON DELETE CASCADE ON UPDATE CASCADE;
