-- CreateIndex
CREATE INDEX "Call_tenantId_id_idx" ON "Call"("tenantId", "id" DESC);

-- CreateIndex
CREATE INDEX "Call_consumerId_createdAt_idx" ON "Call"("consumerId", "createdAt");

-- One WhatsApp line per number, whoever's it is. SIP lines: one per number and trunk, a constraint of the schema.
CREATE UNIQUE INDEX "Channel_whatsapp_address_key" ON "Channel"("address") WHERE "type" = 'WHATSAPP';
