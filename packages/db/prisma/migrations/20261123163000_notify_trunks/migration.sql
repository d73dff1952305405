-- Realtime nodes keep trunks in memory to match INVITEs (load_trunks). Every node is notified when a column changes that decides about an INVITE.
-- The networks of a trunk (SipTrunkSource) change only with its list.
CREATE TRIGGER "SipTrunk_changed"
  AFTER INSERT OR DELETE OR UPDATE OF
    "status", "ingressLabel", "ingressHostOnly", "inboundSourceCidrs", "quirks", "numberRules", "techPrefixes" ON "SipTrunk"
  FOR EACH STATEMENT EXECUTE FUNCTION notify_table_changed('clarion_trunk');

-- TRUNCATE fires no other trigger.
CREATE TRIGGER "SipTrunk_truncated" AFTER TRUNCATE ON "SipTrunk"
  FOR EACH STATEMENT EXECUTE FUNCTION notify_table_changed('clarion_trunk');
