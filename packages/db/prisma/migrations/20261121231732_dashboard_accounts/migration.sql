-- CreateEnum
CREATE TYPE "StaffRole" AS ENUM ('OWNER', 'ADMIN', 'SUPERVISOR');

-- CreateEnum
CREATE TYPE "StaffTicketKind" AS ENUM ('INVITATION', 'RESET');

-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN     "actorName" TEXT;

-- AlterTable
ALTER TABLE "Consumer" ADD COLUMN     "allowedOrigins" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "StaffUser" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" "StaffRole" NOT NULL,
    "passwordHash" TEXT,
    "passwordChangedAt" TIMESTAMPTZ(3),
    "totpSecretSealed" TEXT,
    "totpConfirmedAt" TIMESTAMPTZ(3),
    "totpLastStep" INTEGER,
    "twoFactorRequired" BOOLEAN NOT NULL DEFAULT false,
    "failedSignIns" INTEGER NOT NULL DEFAULT 0,
    "lockedUntil" TIMESTAMPTZ(3),
    "disabledAt" TIMESTAMPTZ(3),
    "lastSignInAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "StaffUser_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "StaffRecoveryCode" (
    "id" SERIAL NOT NULL,
    "staffUserId" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,
    "usedAt" TIMESTAMPTZ(3),

    CONSTRAINT "StaffRecoveryCode_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "StaffTicket" (
    "id" SERIAL NOT NULL,
    "staffUserId" INTEGER NOT NULL,
    "kind" "StaffTicketKind" NOT NULL,
    "hash" BYTEA NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "usedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "StaffTicket_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "DashboardSession" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,
    "staffUserId" INTEGER,
    "tenantId" INTEGER,
    "userRef" TEXT,
    "name" TEXT NOT NULL,
    "role" "StaffRole" NOT NULL,
    "userAgent" TEXT,
    "address" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lastSeenAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "revokedAt" TIMESTAMPTZ(3),

    CONSTRAINT "DashboardSession_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "LaunchTokenUse" (
    "consumerId" INTEGER NOT NULL,
    "jti" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "LaunchTokenUse_pkey" PRIMARY KEY ("consumerId","jti")
);

-- CreateTable
CREATE TABLE "Mail" (
    "id" SERIAL NOT NULL,
    "to" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "textSealed" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sentAt" TIMESTAMPTZ(3),
    "failure" TEXT,

    CONSTRAINT "Mail_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "StaffUser_email_key" ON "StaffUser"("email");

-- CreateIndex
CREATE INDEX "StaffUser_consumerId_id_idx" ON "StaffUser"("consumerId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "StaffRecoveryCode_staffUserId_hash_key" ON "StaffRecoveryCode"("staffUserId", "hash");

-- CreateIndex
CREATE UNIQUE INDEX "StaffTicket_hash_key" ON "StaffTicket"("hash");

-- CreateIndex
CREATE INDEX "StaffTicket_staffUserId_idx" ON "StaffTicket"("staffUserId");

-- CreateIndex
CREATE UNIQUE INDEX "DashboardSession_hash_key" ON "DashboardSession"("hash");

-- CreateIndex
CREATE INDEX "DashboardSession_consumerId_idx" ON "DashboardSession"("consumerId");

-- CreateIndex
CREATE INDEX "DashboardSession_staffUserId_idx" ON "DashboardSession"("staffUserId");

-- CreateIndex
CREATE INDEX "DashboardSession_expiresAt_idx" ON "DashboardSession"("expiresAt");

-- CreateIndex
CREATE INDEX "LaunchTokenUse_expiresAt_idx" ON "LaunchTokenUse"("expiresAt");

-- CreateIndex
CREATE INDEX "Mail_createdAt_idx" ON "Mail"("createdAt");

-- CreateIndex
CREATE INDEX "AuditEntry_consumerId_tenantId_id_idx" ON "AuditEntry"("consumerId", "tenantId", "id");

-- AddForeignKey
ALTER TABLE "StaffUser" ADD CONSTRAINT "StaffUser_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StaffRecoveryCode" ADD CONSTRAINT "StaffRecoveryCode_staffUserId_fkey" FOREIGN KEY ("staffUserId") REFERENCES "StaffUser"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StaffTicket" ADD CONSTRAINT "StaffTicket_staffUserId_fkey" FOREIGN KEY ("staffUserId") REFERENCES "StaffUser"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "DashboardSession" ADD CONSTRAINT "DashboardSession_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "DashboardSession" ADD CONSTRAINT "DashboardSession_staffUserId_fkey" FOREIGN KEY ("staffUserId") REFERENCES "StaffUser"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "DashboardSession" ADD CONSTRAINT "DashboardSession_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "LaunchTokenUse" ADD CONSTRAINT "LaunchTokenUse_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A session that is ended, or a person whose role changed, is heard of by every process at once.
CREATE TRIGGER "DashboardSession_changed" AFTER UPDATE OF "revokedAt", "expiresAt" OR DELETE ON "DashboardSession"
  FOR EACH ROW EXECUTE FUNCTION notify_row_changed('clarion_session');

CREATE TRIGGER "StaffUser_changed" AFTER UPDATE OF "role", "disabledAt", "name" OR DELETE ON "StaffUser"
  FOR EACH ROW EXECUTE FUNCTION notify_row_changed('clarion_staff');
