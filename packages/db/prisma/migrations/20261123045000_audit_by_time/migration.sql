-- DropIndex
DROP INDEX "AuditEntry_consumerId_id_idx";

-- DropIndex
DROP INDEX "AuditEntry_consumerId_tenantId_id_idx";

-- CreateIndex
CREATE INDEX "AuditEntry_consumerId_at_id_idx" ON "AuditEntry"("consumerId", "at", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_consumerId_tenantId_at_id_idx" ON "AuditEntry"("consumerId", "tenantId", "at", "id");
