-- The ledger is append-only. TRUNCATE fires no trigger of a row.
CREATE FUNCTION reject_ledger_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the transactions of billing accounts cannot be deleted' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "BillingTransaction_not_truncated" BEFORE TRUNCATE ON "BillingTransaction"
  FOR EACH STATEMENT EXECUTE FUNCTION reject_ledger_truncate();
