-- CreateIndex
CREATE INDEX "LiveCall_activeQueueId_idx" ON "LiveCall"("activeQueueId");
