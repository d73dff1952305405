-- CreateIndex
CREATE INDEX "WhatsAppEvent_receivedAt_idx" ON "WhatsAppEvent"("receivedAt");
