-- CreateTable
CREATE TABLE "MediaNode" (
    "id" TEXT NOT NULL,
    "seenAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "MediaNode_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "EngineOutbox" (
    "id" BIGSERIAL NOT NULL,
    "callId" INTEGER NOT NULL,
    "effects" JSONB NOT NULL,
    "claimedUntil" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "EngineOutbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "socket_io_attachments" (
    "id" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
    "payload" BYTEA,

    CONSTRAINT "socket_io_attachments_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "EngineOutbox_callId_idx" ON "EngineOutbox"("callId");

-- CreateIndex
CREATE INDEX "EngineOutbox_claimedUntil_idx" ON "EngineOutbox"("claimedUntil");

-- What Prisma's language cannot say: each of these events happens to a call once, whatever the processes do.
CREATE UNIQUE INDEX "Event_callId_created_once" ON "Event"("callId") WHERE "type" = 'call.created';
CREATE UNIQUE INDEX "Event_callId_answered_once" ON "Event"("callId") WHERE "type" = 'call.answered';
CREATE UNIQUE INDEX "Event_callId_ended_once" ON "Event"("callId") WHERE "type" = 'call.ended';
