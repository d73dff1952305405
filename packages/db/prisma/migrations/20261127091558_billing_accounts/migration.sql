-- Billing accounts and their ledger.

-- CreateEnum
CREATE TYPE "BillingOwner" AS ENUM ('TENANT', 'CONSUMER');

-- CreateEnum
CREATE TYPE "BillingMode" AS ENUM ('PREPAID', 'POSTPAID');

-- CreateEnum
CREATE TYPE "BillingStatus" AS ENUM ('ACTIVE', 'OUTBOUND_BLOCKED', 'SUSPENDED');

-- CreateEnum
CREATE TYPE "BillingTransactionKind" AS ENUM ('TOP_UP', 'ADJUSTMENT', 'CHARGE', 'INVOICE_PAID');

-- CreateTable
CREATE TABLE "BillingAccount" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "owner" "BillingOwner" NOT NULL,
    "tenantId" INTEGER,
    "tenantRef" TEXT,
    "mode" "BillingMode" NOT NULL,
    "status" "BillingStatus" NOT NULL DEFAULT 'ACTIVE',
    "currency" TEXT NOT NULL,
    "balance" DECIMAL(18,6) NOT NULL DEFAULT 0,
    "creditLimit" DECIMAL(18,6),
    "invoiceDueDays" INTEGER NOT NULL,
    "lastTopUp" DECIMAL(18,6),
    "lowBalanceAnnounced" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "BillingAccount_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "BillingTransaction" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "kind" "BillingTransactionKind" NOT NULL,
    "amount" DECIMAL(18,6) NOT NULL,
    "balanceAfter" DECIMAL(18,6) NOT NULL,
    "description" TEXT,
    "callId" INTEGER,
    "invoiceId" INTEGER,
    "source" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "BillingTransaction_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "BillingAccount_tenantId_key" ON "BillingAccount"("tenantId");

-- CreateIndex
CREATE INDEX "BillingAccount_consumerId_idx" ON "BillingAccount"("consumerId");

-- CreateIndex
CREATE INDEX "BillingTransaction_accountId_id_idx" ON "BillingTransaction"("accountId", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "BillingTransaction_accountId_source_key" ON "BillingTransaction"("accountId", "source");

-- AddForeignKey
ALTER TABLE "BillingAccount" ADD CONSTRAINT "BillingAccount_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "BillingAccount" ADD CONSTRAINT "BillingAccount_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "BillingTransaction" ADD CONSTRAINT "BillingTransaction_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "BillingAccount"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A tenant's account keeps the ref when the tenant is deleted.
ALTER TABLE "BillingAccount" ADD CONSTRAINT "BillingAccount_owner_check" CHECK (
  CASE "owner" WHEN 'TENANT' THEN "tenantRef" IS NOT NULL ELSE "tenantId" IS NULL AND "tenantRef" IS NULL END);
ALTER TABLE "BillingAccount" ADD CONSTRAINT "BillingAccount_creditLimit_check" CHECK ("creditLimit" IS NULL OR "mode" = 'POSTPAID');
ALTER TABLE "BillingTransaction" ADD CONSTRAINT "BillingTransaction_amount_check" CHECK ("amount" <> 0);

-- A consumer has one account of its own.
CREATE UNIQUE INDEX "BillingAccount_consumer_key" ON "BillingAccount"("consumerId") WHERE "owner" = 'CONSUMER';

-- The ledger is append-only. Only the deletion of a consumer removes its accounts and their transactions: a cascade deletes the referring rows
-- after the row that they refer to.
CREATE FUNCTION reject_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM "BillingAccount" WHERE "id" = OLD."accountId") THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'a transaction of a billing account cannot be changed or deleted' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "BillingTransaction_append_only" BEFORE UPDATE OR DELETE ON "BillingTransaction"
  FOR EACH ROW EXECUTE FUNCTION reject_ledger_change();

CREATE FUNCTION reject_account_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "Consumer" WHERE "id" = OLD."consumerId") THEN
    RAISE EXCEPTION 'a billing account cannot be deleted while its consumer exists' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER "BillingAccount_kept" BEFORE DELETE ON "BillingAccount"
  FOR EACH ROW EXECUTE FUNCTION reject_account_deletion();
