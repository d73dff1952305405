-- A usage record that charges the tenant is booked to its billing account in the same transaction: when a call or recording ends, for the fees of a
-- day, and when usage that had no price gets one. Usage from before the account was opened, or in another currency, is not. A balance that
-- would have more than 12 digits is left as it is, because a call must be able to end.
CREATE FUNCTION book_charge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  account "BillingAccount";
  booked_at timestamptz := CASE TG_OP WHEN 'INSERT' THEN NEW."createdAt" ELSE now() END;
BEGIN
  UPDATE "BillingAccount" a SET "balance" = a."balance" - NEW."tenantCharge", "updatedAt" = booked_at
  WHERE a."tenantId" = NEW."tenantId" AND a."currency" = NEW."tenantCurrency" AND a."createdAt" <= NEW."createdAt"
    AND abs(a."balance" - NEW."tenantCharge") < 10::numeric ^ 12
    AND NOT EXISTS (SELECT FROM "BillingTransaction" t WHERE t."accountId" = a."id" AND t."source" = 'usage:' || NEW."id")
  RETURNING * INTO account;
  IF FOUND THEN
    INSERT INTO "BillingTransaction" ("accountId", "kind", "amount", "balanceAfter", "description", "callId", "source", "createdAt")
    VALUES (account."id", 'CHARGE', -NEW."tenantCharge", account."balance",
      CASE NEW."kind"
        WHEN 'CALL' THEN CASE NEW."direction" WHEN 'INBOUND' THEN 'Inbound call' ELSE 'Outbound call' END
        WHEN 'RECORDING' THEN 'Recording'
        WHEN 'STORAGE' THEN 'Storage on ' || NEW."day"
        WHEN 'SEAT' THEN 'Agents on ' || NEW."day"
        WHEN 'NUMBER' THEN 'Numbers on ' || NEW."day"
        ELSE 'Monthly fee, ' || NEW."day"
      END, NEW."callId", 'usage:' || NEW."id", booked_at);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "UsageRecord_charged" AFTER INSERT ON "UsageRecord"
  FOR EACH ROW WHEN (NEW."tenantCharge" > 0) EXECUTE FUNCTION book_charge();
CREATE TRIGGER "UsageRecord_priced" AFTER UPDATE OF "tenantCharge" ON "UsageRecord"
  FOR EACH ROW WHEN (OLD."tenantCharge" IS NULL AND NEW."tenantCharge" > 0) EXECUTE FUNCTION book_charge();
