-- A call that finds an idle agent and nobody waiting is offered in the step that creates it: what the decision on its INVITE reads of the queue,
-- and the check of the agents whom it rings.

-- The agents who can take the next call of a queue at once: of those who are connected and those who are asleep the first `most` in the order of its
-- strategy (idle_members). NULL if a call waits in the queue or in another one of these agents, or the queue limits its active calls: then only a
-- dispatch decides who gets the call.
CREATE FUNCTION idle_queue(queue_id int, most int) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  q "Queue";
  agents json;
  ids int[];
BEGIN
  IF EXISTS (SELECT FROM "LiveCall" l WHERE l."waitingQueueId" = queue_id AND NOT l."ringing") THEN
    RETURN NULL;
  END IF;
  SELECT * INTO q FROM "Queue" WHERE "id" = queue_id;
  IF q."maxActiveCalls" IS NOT NULL THEN
    RETURN NULL;
  END IF;
  SELECT json_agg(i), array_agg(i."agentId") INTO agents, ids FROM idle_members(q, now(), most) i;
  IF agents IS NULL OR EXISTS (
    SELECT FROM "QueueMember" m JOIN "Queue" o ON o."id" = m."queueId"
    WHERE m."agentId" = ANY (ids) AND (
      EXISTS (SELECT FROM "LiveCall" l WHERE l."waitingQueueId" = m."queueId" AND NOT l."ringing")
      -- Agents are added to a call that rings.
      OR (o."strategy" = 'RING_ALL' AND EXISTS (SELECT FROM "LiveCall" l WHERE l."waitingQueueId" = m."queueId" AND l."ringing")))
  ) THEN
    RETURN NULL;
  END IF;
  RETURN json_build_object('strategy', q."strategy", 'ringTimeoutSeconds', q."ringTimeoutSeconds", 'agents', agents);
END $$;

-- With the agents who can take the call at once.
CREATE OR REPLACE FUNCTION load_lines(candidates jsonb) RETURNS json LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', l."id", 'ref', l."ref", 'type', l."type", 'status', l."status", 'tenantId', l."tenantId", 'sipTrunkId', l."sipTrunkId",
      'recordingEnabled', l."recordingEnabled", 'ringTimeoutSeconds', l."ringTimeoutSeconds",
      'newCallId', CASE WHEN l."ownerAgentId" IS NULL THEN nextval(pg_get_serial_sequence('"Call"', 'id')) END,
      'tenant', json_build_object('id', t."id", 'consumerId', t."consumerId", 'ref', t."ref", 'settings', t."settings",
        'rowVersion', t.xmin::text, 'pricePlanId', t."pricePlanId", 'consumer', json_build_object(
        'status', c."status", 'recordingEnabled', c."recordingEnabled", 'planCountries', c."planCountries",
        'planBlockedPrefixes', c."planBlockedPrefixes", 'lookupUrl', c."lookupUrl", 'pricePlanId', c."pricePlanId")),
      'owner', (
        SELECT json_build_object('id', a."id", 'ref', a."ref", 'doNotDisturb', a."doNotDisturb",
          'canRing', a."deletedAt" IS NULL AND agent_reachable(a))
        FROM "Agent" a WHERE a."id" = l."ownerAgentId"),
      'flows', (
        SELECT coalesce(json_agg(json_build_object('id', f."id", 'triggerCondition', f."triggerCondition")), '[]')
        FROM "IvrFlow" f WHERE f."channelId" = l."id" AND f."status" = 'ACTIVE'),
      'inboundQueueId', l."inboundQueueId",
      -- The most decisions on INVITEs that a node makes at a time, so that each has an agent.
      'idleQueue', CASE WHEN l."inboundQueueId" IS NOT NULL AND l."ownerAgentId" IS NULL AND t."status" = 'ACTIVE' AND c."status" = 'ACTIVE'
        THEN idle_queue(l."inboundQueueId", 4) END,
      'stops', CASE WHEN l."inboundQueueId" IS NULL THEN '[]' ELSE overflow_chain(l."inboundQueueId") END)), '[]')
    FROM jsonb_to_recordset(candidates) AS wanted("trunkId" int, "number" text)
    JOIN "Channel" l ON l."sipTrunkId" = wanted."trunkId" AND l."address" = wanted."number"
    JOIN "Tenant" t ON t."id" = l."tenantId"
    JOIN "Consumer" c ON c."id" = t."consumerId");
END $$;

-- A step that begins a call has no row of it to compare, and does not wait for an agent whom another transaction changes: the call, and the INVITEs
-- that are decided after it, would wait too.
CREATE OR REPLACE FUNCTION remembered_unchanged(call_id int, remembered jsonb) RETURNS boolean LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF NOT remembered ? 'callRowVersion' THEN
    RETURN jsonb_array_length(remembered->'agents') = (SELECT count(*) FROM (
      SELECT FROM jsonb_to_recordset(remembered->'agents') AS r("id" int, "rowVersion" text, "deviceIds" text[])
      JOIN "Agent" a ON a."id" = r."id"
      WHERE a.xmin::text = r."rowVersion" AND ARRAY(SELECT s."deviceId" FROM "AgentConnection" s WHERE s."agentId" = a."id" ORDER BY 1)
        = ARRAY(SELECT unnest(r."deviceIds") ORDER BY 1)
      FOR NO KEY UPDATE OF a SKIP LOCKED) unchanged);
  END IF;
  RETURN EXISTS (
    SELECT FROM "Call" c JOIN "Tenant" t ON t."id" = c."tenantId"
    WHERE c."id" = call_id AND c.xmin::text = remembered->>'callRowVersion' AND t.xmin::text = remembered->>'tenantRowVersion'
  ) AND NOT EXISTS (
    SELECT FROM jsonb_to_recordset(remembered->'agents') AS r("id" int, "rowVersion" text, "deviceIds" text[])
    WHERE (
      SELECT a.xmin::text = r."rowVersion" AND ARRAY(SELECT s."deviceId" FROM "AgentConnection" s WHERE s."agentId" = a."id" ORDER BY 1)
        = ARRAY(SELECT unnest(r."deviceIds") ORDER BY 1)
      FROM "Agent" a WHERE a."id" = r."id"
    ) IS NOT TRUE);
END $$;
