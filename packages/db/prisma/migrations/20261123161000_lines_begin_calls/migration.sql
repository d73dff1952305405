-- The lines with these numbers on these trunks, and what decides where they route a call. `candidates`: objects with trunkId and number.
-- With the ID of a new call and its tenant as a step loads them, so that an INVITE to a queue or a flow needs no load_beginning. The call of
-- an owner begins with the owner's row as of that moment.
CREATE OR REPLACE FUNCTION load_lines(candidates jsonb) RETURNS json LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', l."id", 'ref', l."ref", 'type', l."type", 'status', l."status", 'tenantId', l."tenantId", 'sipTrunkId', l."sipTrunkId",
      'recordingEnabled', l."recordingEnabled", 'ringTimeoutSeconds', l."ringTimeoutSeconds",
      'newCallId', CASE WHEN l."ownerAgentId" IS NULL THEN nextval(pg_get_serial_sequence('"Call"', 'id')) END,
      'tenant', json_build_object('id', t."id", 'consumerId', t."consumerId", 'ref', t."ref", 'settings', t."settings",
        'rowVersion', t.xmin::text, 'consumer', json_build_object(
        'status', c."status", 'recordingEnabled', c."recordingEnabled", 'planCountries', c."planCountries", 'lookupUrl', c."lookupUrl")),
      'owner', (
        SELECT json_build_object('id', a."id", 'ref', a."ref", 'doNotDisturb', a."doNotDisturb",
          'canRing', a."deletedAt" IS NULL AND EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id"))
        FROM "Agent" a WHERE a."id" = l."ownerAgentId"),
      'flows', (
        SELECT coalesce(json_agg(json_build_object('id', f."id", 'triggerCondition', f."triggerCondition")), '[]')
        FROM "IvrFlow" f WHERE f."channelId" = l."id" AND f."status" = 'ACTIVE'),
      'inboundQueueId', l."inboundQueueId",
      'stops', CASE WHEN l."inboundQueueId" IS NULL THEN '[]' ELSE overflow_chain(l."inboundQueueId") END)), '[]')
    FROM jsonb_to_recordset(candidates) AS wanted("trunkId" int, "number" text)
    JOIN "Channel" l ON l."sipTrunkId" = wanted."trunkId" AND l."address" = wanted."number"
    JOIN "Tenant" t ON t."id" = l."tenantId"
    JOIN "Consumer" c ON c."id" = t."consumerId");
END $$;
