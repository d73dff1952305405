-- Processes keep accounts and API keys in memory. Whoever changes one of them, by whatever way, has every process told when the
-- change commits: a trigger cannot be forgotten as a line of code can.

-- `lastUsedAt` of an API key is none of these: only what decides whether the key is valid.
CREATE FUNCTION notify_row_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_ARGV[0], OLD."id"::text);
  RETURN NULL;
END $$;

CREATE TRIGGER "Consumer_changed" AFTER UPDATE OR DELETE ON "Consumer"
  FOR EACH ROW EXECUTE FUNCTION notify_row_changed('clarion_consumer');

CREATE TRIGGER "ApiKey_changed" AFTER UPDATE OF "hash", "consumerId", "expiresAt", "revokedAt" OR DELETE ON "ApiKey"
  FOR EACH ROW EXECUTE FUNCTION notify_row_changed('clarion_key');

CREATE TRIGGER "SigningKey_changed" AFTER UPDATE OF "secretSealed", "consumerId", "revokedAt" OR DELETE ON "SigningKey"
  FOR EACH ROW EXECUTE FUNCTION notify_row_changed('clarion_signing_key');
