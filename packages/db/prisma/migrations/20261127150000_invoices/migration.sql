-- Invoices of POSTPAID billing accounts.

-- AlterEnum
ALTER TYPE "BillingTransactionKind" ADD VALUE 'ROUNDING';

-- CreateEnum
CREATE TYPE "InvoiceStatus" AS ENUM ('DRAFT', 'OPEN', 'PAID', 'VOID');

-- CreateEnum
CREATE TYPE "InvoiceLineKind" AS ENUM ('CALL', 'RECORDING', 'STORAGE', 'MONTHLY_FEE', 'SEAT', 'NUMBER', 'ADJUSTMENT', 'OTHER');

-- CreateTable
CREATE TABLE "BillingCycle" (
    "accountId" INTEGER NOT NULL,
    "periodFrom" TIMESTAMPTZ(3) NOT NULL,
    "afterTransactionId" INTEGER NOT NULL,

    CONSTRAINT "BillingCycle_pkey" PRIMARY KEY ("accountId")
);

-- CreateTable
CREATE TABLE "Invoice" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "accountId" INTEGER NOT NULL,
    "number" TEXT NOT NULL,
    "status" "InvoiceStatus" NOT NULL,
    "currency" TEXT NOT NULL,
    "periodFrom" TIMESTAMPTZ(3) NOT NULL,
    "periodTo" TIMESTAMPTZ(3) NOT NULL,
    "total" DECIMAL(18,6) NOT NULL,
    "issuerName" TEXT NOT NULL,
    "customerName" TEXT NOT NULL,
    "customerRef" TEXT,
    "issuedAt" TIMESTAMPTZ(3),
    "dueAt" TIMESTAMPTZ(3),
    "paidAt" TIMESTAMPTZ(3),

    CONSTRAINT "Invoice_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "InvoiceLine" (
    "invoiceId" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" "InvoiceLineKind" NOT NULL,
    "description" TEXT NOT NULL,
    "quantity" DECIMAL(18,6) NOT NULL,
    "amount" DECIMAL(18,6) NOT NULL,

    CONSTRAINT "InvoiceLine_pkey" PRIMARY KEY ("invoiceId","position")
);

-- CreateTable
CREATE TABLE "InvoiceCounter" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER,
    "lastNumber" INTEGER NOT NULL,

    CONSTRAINT "InvoiceCounter_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "BillingCycle_periodFrom_idx" ON "BillingCycle"("periodFrom");

-- CreateIndex
CREATE UNIQUE INDEX "Invoice_consumerId_number_key" ON "Invoice"("consumerId", "number");

-- CreateIndex
CREATE INDEX "Invoice_accountId_id_idx" ON "Invoice"("accountId", "id" DESC);

-- The operator is one issuer, whose row has no consumer.
CREATE UNIQUE INDEX "InvoiceCounter_consumerId_key" ON "InvoiceCounter"("consumerId") NULLS NOT DISTINCT;

-- AddForeignKey
ALTER TABLE "BillingCycle" ADD CONSTRAINT "BillingCycle_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "BillingAccount"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Invoice" ADD CONSTRAINT "Invoice_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Invoice" ADD CONSTRAINT "Invoice_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "BillingAccount"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "InvoiceLine" ADD CONSTRAINT "InvoiceLine_invoiceId_fkey" FOREIGN KEY ("invoiceId") REFERENCES "Invoice"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "InvoiceCounter" ADD CONSTRAINT "InvoiceCounter_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Numbers of the operator are unique among all consumers.
CREATE UNIQUE INDEX "Invoice_operator_number_key" ON "Invoice"("number") WHERE "number" LIKE 'OP-%';
-- Overdue invoices are found among the open ones.
CREATE INDEX "Invoice_open_idx" ON "Invoice"("dueAt") WHERE "status" = 'OPEN';
ALTER TABLE "Invoice" ADD CONSTRAINT "Invoice_dates_check" CHECK (
  CASE "status" WHEN 'DRAFT' THEN true ELSE "issuedAt" IS NOT NULL AND "dueAt" IS NOT NULL END
  AND ("status" = 'PAID') = ("paidAt" IS NOT NULL));

-- A transaction is put on an invoice once; nothing else of it ever changes.
DROP TRIGGER "BillingTransaction_append_only" ON "BillingTransaction";
CREATE TRIGGER "BillingTransaction_kept" BEFORE DELETE ON "BillingTransaction"
  FOR EACH ROW EXECUTE FUNCTION reject_ledger_change();
CREATE TRIGGER "BillingTransaction_append_only" BEFORE UPDATE ON "BillingTransaction"
  FOR EACH ROW WHEN (OLD."invoiceId" IS NOT NULL OR NEW."invoiceId" IS NULL OR
    (OLD."id", OLD."accountId", OLD."kind", OLD."amount", OLD."balanceAfter", OLD."description", OLD."callId", OLD."source", OLD."createdAt")
    IS DISTINCT FROM
    (NEW."id", NEW."accountId", NEW."kind", NEW."amount", NEW."balanceAfter", NEW."description", NEW."callId", NEW."source", NEW."createdAt"))
  EXECUTE FUNCTION reject_ledger_change();

-- An account is invoiced from the month in which it becomes POSTPAID, and for what is booked from then on. IDs within an account are in the order
-- of the commits, because each transaction locks the account's row before it gets one. Another currency begins a new cycle, too: nothing is owed then.
CREATE FUNCTION follow_billing_mode() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW."mode" = OLD."mode" AND NEW."currency" = OLD."currency" THEN
    RETURN NULL;
  END IF;
  DELETE FROM "BillingCycle" WHERE "accountId" = NEW."id";
  IF NEW."mode" = 'POSTPAID' THEN
    INSERT INTO "BillingCycle" ("accountId", "periodFrom", "afterTransactionId") VALUES (
      NEW."id",
      greatest(date_trunc('month', NEW."updatedAt", 'UTC'), (SELECT max("periodTo") FROM "Invoice" WHERE "accountId" = NEW."id")),
      coalesce((SELECT max("id") FROM "BillingTransaction" WHERE "accountId" = NEW."id"), 0));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "BillingAccount_cycle" AFTER INSERT OR UPDATE OF "mode", "currency" ON "BillingAccount"
  FOR EACH ROW EXECUTE FUNCTION follow_billing_mode();

INSERT INTO "BillingCycle" ("accountId", "periodFrom", "afterTransactionId")
SELECT "id", date_trunc('month', "createdAt", 'UTC'), 0 FROM "BillingAccount" WHERE "mode" = 'POSTPAID';
