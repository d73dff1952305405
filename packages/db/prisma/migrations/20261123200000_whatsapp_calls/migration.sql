-- AlterTable
ALTER TABLE "WhatsAppEvent" ADD COLUMN "takenAt" TIMESTAMPTZ(3);

-- Events of earlier versions belong to calls that are over.
UPDATE "WhatsAppEvent" SET "takenAt" = "receivedAt";

-- Found by the sweep of events whose notification was lost.
CREATE INDEX "WhatsAppEvent_untaken_idx" ON "WhatsAppEvent"("id") WHERE "takenAt" IS NULL;

-- CreateIndex
CREATE INDEX "WhatsAppEvent_channelId_whatsAppCallId_idx" ON "WhatsAppEvent"("channelId", "whatsAppCallId");

-- CreateTable
CREATE TABLE "WhatsAppCall" (
    "id" SERIAL NOT NULL,
    "channelId" INTEGER NOT NULL,
    "whatsAppCallId" TEXT,
    "callId" INTEGER,
    "progress" JSONB NOT NULL,
    "settleAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WhatsAppCall_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "WhatsAppCall_callId_key" ON "WhatsAppCall"("callId");

-- CreateIndex
CREATE UNIQUE INDEX "WhatsAppCall_channelId_whatsAppCallId_key" ON "WhatsAppCall"("channelId", "whatsAppCallId");

-- CreateIndex
CREATE INDEX "WhatsAppCall_createdAt_idx" ON "WhatsAppCall"("createdAt");

CREATE INDEX "WhatsAppCall_settleAt_idx" ON "WhatsAppCall"("settleAt") WHERE "settleAt" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "WhatsAppCall" ADD CONSTRAINT "WhatsAppCall_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WhatsAppCall" ADD CONSTRAINT "WhatsAppCall_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "WhatsAppPermission" (
    "id" SERIAL NOT NULL,
    "channelId" INTEGER NOT NULL,
    "customerAddress" TEXT NOT NULL,
    "userId" TEXT,
    "status" TEXT NOT NULL DEFAULT 'UNKNOWN',
    "expiresAt" TIMESTAMPTZ(3),
    "unansweredCalls" INTEGER NOT NULL DEFAULT 0,
    "requestStatus" TEXT,
    "requestedAt" TIMESTAMPTZ(3),
    "requestFailure" JSONB,
    "changedAt" TIMESTAMPTZ(3),
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "WhatsAppPermission_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "WhatsAppPermission_channelId_customerAddress_key" ON "WhatsAppPermission"("channelId", "customerAddress");

-- CreateIndex
CREATE INDEX "WhatsAppPermission_channelId_userId_idx" ON "WhatsAppPermission"("channelId", "userId");

-- CreateIndex
CREATE INDEX "WhatsAppPermission_updatedAt_idx" ON "WhatsAppPermission"("updatedAt");

-- AddForeignKey
ALTER TABLE "WhatsAppPermission" ADD CONSTRAINT "WhatsAppPermission_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The events that contain a customer's address without belonging to a call: an erasure deletes those of the customer.
CREATE INDEX "Event_whatsapp_permission_idx" ON "Event"("tenantId") WHERE "type" = 'whatsapp.permission_changed';
