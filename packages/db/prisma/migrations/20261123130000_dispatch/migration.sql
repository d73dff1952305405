-- Generated, so that nodes of the previous version keep it up to date as well.
ALTER TABLE "LiveCall" ADD COLUMN "ringing" BOOLEAN NOT NULL GENERATED ALWAYS AS (
  coalesce("state"->'offers'->0, "state"#>'{transfer,offers,0}') IS NOT NULL
) STORED;

DROP INDEX "LiveCall_waitingQueueId_waitingSince_idx";
CREATE INDEX "LiveCall_waitingQueueId_ringing_waitingSince_callId_idx" ON "LiveCall"("waitingQueueId", "ringing", "waitingSince", "callId");

DROP INDEX "LiveCall_leaseNodeId_idx";
CREATE INDEX "LiveCall_leaseNodeId_nextDeadlineAt_idx" ON "LiveCall"("leaseNodeId", "nextDeadlineAt");

-- The idle agents of a tenant, longest idle first. An agent becomes idle when a wrap-up that was still running has ended.
CREATE INDEX "Agent_tenantId_idle" ON "Agent"("tenantId", greatest("idleSince", "wrapUpUntil"), "id")
  WHERE "shift" = 'AVAILABLE' AND "currentCallId" IS NULL AND "deletedAt" IS NULL;

CREATE TABLE "Sweep" (
    "name" TEXT NOT NULL,
    "claimedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Sweep_pkey" PRIMARY KEY ("name")
);
