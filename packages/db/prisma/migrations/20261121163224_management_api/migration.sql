-- CreateEnum
CREATE TYPE "IvrFlowStatus" AS ENUM ('ACTIVE', 'DISABLED');

-- CreateEnum
CREATE TYPE "IvrTrigger" AS ENUM ('ALWAYS', 'ALL_AGENTS_OFFLINE', 'ALL_AGENTS_BUSY');

-- CreateEnum
CREATE TYPE "RecordingStatus" AS ENUM ('RECORDING', 'PROCESSING', 'COMPLETED', 'FAILED');

-- CreateEnum
CREATE TYPE "UsageKind" AS ENUM ('CALL', 'RECORDING', 'STORAGE', 'MONTHLY_FEE', 'SEAT', 'NUMBER');

-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN     "surface" TEXT NOT NULL DEFAULT 'api';

-- AlterTable
ALTER TABLE "IdempotencyKey" ADD COLUMN     "callId" INTEGER;

-- The counts of this minute are started over.
TRUNCATE "RateWindow";

-- AlterTable
ALTER TABLE "RateWindow" DROP CONSTRAINT "RateWindow_pkey",
DROP COLUMN "consumerId",
ADD COLUMN     "bucket" TEXT NOT NULL,
ADD CONSTRAINT "RateWindow_pkey" PRIMARY KEY ("bucket", "minute");

-- CreateTable
CREATE TABLE "AgentShift" (
    "id" BIGSERIAL NOT NULL,
    "agentId" INTEGER NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "endedAt" TIMESTAMPTZ(3),

    CONSTRAINT "AgentShift_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "PushCredential" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "settings" JSONB NOT NULL,
    "secretSealed" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "PushCredential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AudioAsset" (
    "id" SERIAL NOT NULL,
    "tenantId" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "mimeType" TEXT NOT NULL,
    "durationSeconds" DOUBLE PRECISION NOT NULL,
    "sizeBytes" INTEGER NOT NULL,
    "storageProvider" TEXT NOT NULL,
    "storageKey" TEXT NOT NULL,
    "pcm8kKey" TEXT NOT NULL,
    "pcm48kKey" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AudioAsset_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IvrFlow" (
    "id" SERIAL NOT NULL,
    "tenantId" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "channelId" INTEGER NOT NULL,
    "status" "IvrFlowStatus" NOT NULL DEFAULT 'ACTIVE',
    "triggerCondition" "IvrTrigger" NOT NULL DEFAULT 'ALWAYS',
    "structure" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "IvrFlow_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IvrFlowAudio" (
    "ivrFlowId" INTEGER NOT NULL,
    "audioAssetId" INTEGER NOT NULL,

    CONSTRAINT "IvrFlowAudio_pkey" PRIMARY KEY ("ivrFlowId","audioAssetId")
);

-- CreateTable
CREATE TABLE "IvrFlowQueue" (
    "ivrFlowId" INTEGER NOT NULL,
    "queueId" INTEGER NOT NULL,

    CONSTRAINT "IvrFlowQueue_pkey" PRIMARY KEY ("ivrFlowId","queueId")
);

-- CreateTable
CREATE TABLE "IvrSession" (
    "id" SERIAL NOT NULL,
    "callId" INTEGER NOT NULL,
    "ivrFlowId" INTEGER NOT NULL,
    "completed" BOOLEAN NOT NULL DEFAULT false,
    "outcome" TEXT,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "endedAt" TIMESTAMPTZ(3),

    CONSTRAINT "IvrSession_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IvrInput" (
    "id" BIGSERIAL NOT NULL,
    "ivrSessionId" INTEGER NOT NULL,
    "nodeName" TEXT NOT NULL,
    "input" TEXT NOT NULL,
    "pressedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "IvrInput_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Recording" (
    "id" SERIAL NOT NULL,
    "callId" INTEGER NOT NULL,
    "status" "RecordingStatus" NOT NULL DEFAULT 'RECORDING',
    "storageProvider" TEXT,
    "storageKey" TEXT,
    "sizeBytes" INTEGER,
    "durationSeconds" INTEGER,
    "format" TEXT NOT NULL DEFAULT 'ogg',
    "channelMap" JSONB,
    "failureReason" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Recording_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "UsageRecord" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "tenantId" INTEGER,
    "tenantRef" TEXT NOT NULL,
    "callId" INTEGER,
    "kind" "UsageKind" NOT NULL,
    "direction" "CallDirection",
    "channelType" "ChannelType",
    "trunkOwner" TEXT,
    "sipTrunkId" INTEGER,
    "seconds" INTEGER NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "UsageRecord_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "WhatsAppEvent" (
    "id" BIGSERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "channelId" INTEGER NOT NULL,
    "whatsAppCallId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "customerAddress" TEXT,
    "payload" JSONB NOT NULL,
    "occurredAt" TIMESTAMPTZ(3),
    "receivedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WhatsAppEvent_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "AgentShift_agentId_startedAt_idx" ON "AgentShift"("agentId", "startedAt");

-- CreateIndex
CREATE UNIQUE INDEX "PushCredential_consumerId_provider_key" ON "PushCredential"("consumerId", "provider");

-- CreateIndex
CREATE INDEX "AudioAsset_tenantId_idx" ON "AudioAsset"("tenantId");

-- CreateIndex
CREATE INDEX "IvrFlow_channelId_idx" ON "IvrFlow"("channelId");

-- CreateIndex
CREATE UNIQUE INDEX "IvrFlow_tenantId_ref_key" ON "IvrFlow"("tenantId", "ref");

-- CreateIndex
CREATE INDEX "IvrFlowAudio_audioAssetId_idx" ON "IvrFlowAudio"("audioAssetId");

-- CreateIndex
CREATE INDEX "IvrFlowQueue_queueId_idx" ON "IvrFlowQueue"("queueId");

-- CreateIndex
CREATE INDEX "IvrSession_callId_idx" ON "IvrSession"("callId");

-- CreateIndex
CREATE INDEX "IvrInput_ivrSessionId_idx" ON "IvrInput"("ivrSessionId");

-- CreateIndex
CREATE UNIQUE INDEX "Recording_callId_key" ON "Recording"("callId");

-- CreateIndex
CREATE INDEX "Recording_completedAt_idx" ON "Recording"("completedAt");

-- CreateIndex
CREATE INDEX "UsageRecord_consumerId_createdAt_id_idx" ON "UsageRecord"("consumerId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "UsageRecord_tenantId_createdAt_idx" ON "UsageRecord"("tenantId", "createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "UsageRecord_callId_kind_key" ON "UsageRecord"("callId", "kind");

-- CreateIndex
CREATE INDEX "WhatsAppEvent_channelId_customerAddress_idx" ON "WhatsAppEvent"("channelId", "customerAddress");

-- CreateIndex
CREATE UNIQUE INDEX "WhatsAppEvent_channelId_digest_key" ON "WhatsAppEvent"("channelId", "digest");

-- CreateIndex
CREATE INDEX "IdempotencyKey_callId_idx" ON "IdempotencyKey"("callId");

-- AddForeignKey
ALTER TABLE "AgentShift" ADD CONSTRAINT "AgentShift_agentId_fkey" FOREIGN KEY ("agentId") REFERENCES "Agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PushCredential" ADD CONSTRAINT "PushCredential_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- No asset existed before this migration.
UPDATE "Queue" SET "holdAudioAssetId" = NULL;

-- AddForeignKey
ALTER TABLE "Queue" ADD CONSTRAINT "Queue_holdAudioAssetId_fkey" FOREIGN KEY ("holdAudioAssetId") REFERENCES "AudioAsset"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AudioAsset" ADD CONSTRAINT "AudioAsset_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IvrFlow" ADD CONSTRAINT "IvrFlow_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IvrFlow" ADD CONSTRAINT "IvrFlow_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IvrFlowAudio" ADD CONSTRAINT "IvrFlowAudio_ivrFlowId_fkey" FOREIGN KEY ("ivrFlowId") REFERENCES "IvrFlow"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IvrFlowAudio" ADD CONSTRAINT "IvrFlowAudio_audioAssetId_fkey" FOREIGN KEY ("audioAssetId") REFERENCES "AudioAsset"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IvrFlowQueue" ADD CONSTRAINT "IvrFlowQueue_ivrFlowId_fkey" FOREIGN KEY ("ivrFlowId") REFERENCES "IvrFlow"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IvrFlowQueue" ADD CONSTRAINT "IvrFlowQueue_queueId_fkey" FOREIGN KEY ("queueId") REFERENCES "Queue"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IvrSession" ADD CONSTRAINT "IvrSession_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IvrInput" ADD CONSTRAINT "IvrInput_ivrSessionId_fkey" FOREIGN KEY ("ivrSessionId") REFERENCES "IvrSession"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Recording" ADD CONSTRAINT "Recording_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "UsageRecord" ADD CONSTRAINT "UsageRecord_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WhatsAppEvent" ADD CONSTRAINT "WhatsAppEvent_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WhatsAppEvent" ADD CONSTRAINT "WhatsAppEvent_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;
