-- AlterTable
ALTER TABLE "Sweep" ADD COLUMN     "leaseNodeId" TEXT;

-- AlterTable
ALTER TABLE "SipTrunkState" ADD COLUMN     "registeredAddress" INET,
ADD COLUMN     "testClaimedAt" TIMESTAMPTZ(3),
ADD COLUMN     "testResult" JSONB;

-- CreateIndex
CREATE INDEX "SipTrunkState_registeredAddress_idx" ON "SipTrunkState"("registeredAddress");

-- Any change of a trunk may concern its keepalive and registration; trunks are rarely changed.
DROP TRIGGER "SipTrunk_changed" ON "SipTrunk";
CREATE TRIGGER "SipTrunk_changed"
  AFTER INSERT OR DELETE OR UPDATE ON "SipTrunk"
  FOR EACH STATEMENT EXECUTE FUNCTION notify_table_changed('clarion_trunk');

-- Calls are matched by this address too.
CREATE FUNCTION notify_registered_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('clarion_trunk', '');
  RETURN NULL;
END $$;
CREATE TRIGGER "SipTrunkState_registered_first" AFTER INSERT ON "SipTrunkState"
  FOR EACH ROW WHEN (NEW."registeredAddress" IS NOT NULL)
  EXECUTE FUNCTION notify_registered_address();
CREATE TRIGGER "SipTrunkState_registered" AFTER UPDATE OF "registeredAddress" ON "SipTrunkState"
  FOR EACH ROW WHEN (OLD."registeredAddress" IS DISTINCT FROM NEW."registeredAddress")
  EXECUTE FUNCTION notify_registered_address();

-- A trunk is also a candidate for calls from the address at which it is registered.
CREATE OR REPLACE FUNCTION load_trunks(ingress_label text, source inet) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  trunk_ids int[];
BEGIN
  IF ingress_label IS NOT NULL THEN
    trunk_ids := ARRAY(SELECT "id" FROM "SipTrunk" WHERE "ingressLabel" = ingress_label);
  ELSE
    -- Unknown sources send thousands of INVITEs a minute, so the networks have an index.
    trunk_ids := ARRAY(
      SELECT s."trunkId" FROM "SipTrunkSource" s WHERE s."network" >>= source
      UNION
      SELECT r."trunkId" FROM "SipTrunkState" r WHERE r."registeredAddress" = source);
  END IF;
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', t."id", 'status', t."status", 'ingressHostOnly', t."ingressHostOnly", 'inboundSourceCidrs', t."inboundSourceCidrs",
      'quirks', t."quirks", 'numberRules', t."numberRules", 'techPrefixes', t."techPrefixes", 'codecs', t."codecs", 'srtp', t."srtp",
      'maxCalls', t."maxCalls", 'ingressLabel', t."ingressLabel", 'registeredAddress', host(r."registeredAddress")) ORDER BY t."id"), '[]')
    FROM "SipTrunk" t LEFT JOIN "SipTrunkState" r ON r."trunkId" = t."id" WHERE t."id" = ANY (trunk_ids));
END $$;
