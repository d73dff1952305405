-- Every step of a call changes its deadline, and so writes every index of LiveCall. No query reads the calls of an account, which are counted in
-- ConsumerLiveCalls, and the few calls whose deadline is near are found by the deadline, whichever node has their lease.
DROP INDEX "LiveCall_consumerId_idx";
DROP INDEX "LiveCall_leaseNodeId_nextDeadlineAt_idx";

-- Only a call that waits or is handled by a queue is found by its queue.
DROP INDEX "LiveCall_waitingQueueId_ringing_waitingSince_callId_idx";
CREATE INDEX "LiveCall_waiting" ON "LiveCall"("waitingQueueId", "ringing", "waitingSince", "callId") WHERE "waitingQueueId" IS NOT NULL;
DROP INDEX "LiveCall_activeQueueId_idx";
CREATE INDEX "LiveCall_active" ON "LiveCall"("activeQueueId") WHERE "activeQueueId" IS NOT NULL;
