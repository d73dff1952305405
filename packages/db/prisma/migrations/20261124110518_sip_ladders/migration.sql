-- AlterTable
ALTER TABLE "SipRefusal" ADD COLUMN     "inviteId" UUID,
ADD COLUMN     "ladder" BYTEA,
ADD COLUMN     "ladderStartedAt" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "CallLadder" (
    "callId" INTEGER NOT NULL,
    "id" UUID NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "storedAt" TIMESTAMPTZ(3) NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "CallLadder_pkey" PRIMARY KEY ("callId","id")
);

-- CreateIndex
CREATE INDEX "CallLadder_storedAt_idx" ON "CallLadder"("storedAt");

-- CreateIndex
CREATE INDEX "SipRefusal_inviteId_idx" ON "SipRefusal"("inviteId");

-- AddForeignKey
ALTER TABLE "CallLadder" ADD CONSTRAINT "CallLadder_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Ladders are compressed already: PostgreSQL must not spend time on compressing them again.
ALTER TABLE "CallLadder" ALTER COLUMN "data" SET STORAGE EXTERNAL;
ALTER TABLE "SipRefusal" ALTER COLUMN "ladder" SET STORAGE EXTERNAL;
