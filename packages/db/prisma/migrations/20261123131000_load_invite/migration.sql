-- What the decision on an INVITE reads. See packages/core/src/call-store/load-invite.ts, whose types describe the results. Like load_step, these
-- functions keep their plans for the whole connection.

-- The queue and those to which it overflows, each once, in order: OverflowHop of packages/core. At most 20.
CREATE FUNCTION overflow_chain(queue_id int) RETURNS json LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
    WITH RECURSIVE chain AS (
      SELECT q.*, 1 AS place, ARRAY[q."id"] AS seen FROM "Queue" q WHERE q."id" = queue_id
      UNION ALL
      SELECT q.*, c.place + 1, c.seen || q."id" FROM chain c JOIN "Queue" q ON q."id" = c."overflowQueueId"
      WHERE q."id" <> ALL (c.seen) AND c.place < 20
    )
    SELECT coalesce(json_agg(json_build_object(
      'queueId', c."id", 'ref', c."ref", 'ringTimeoutSeconds', c."ringTimeoutSeconds", 'maxWaitSeconds', c."maxWaitSeconds",
      'holdAudio', (SELECT a."pcm8kKey" FROM "AudioAsset" a WHERE a."id" = c."holdAudioAssetId"),
      'wrapUpSeconds', c."wrapUpSeconds",
      'announce', json_build_object('position', c."announcePosition", 'wait', c."announceWait", 'everySeconds', c."announceEverySeconds"),
      'callbackKey', c."callbackKey", 'skillsWaitSeconds', c."skillsWaitSeconds", 'answerWhileWaiting', c."answerWhileWaiting"
    ) ORDER BY c.place), '[]') FROM chain c);
END $$;

-- The trunks to which an INVITE may belong: that of the ingress host, whatever its status, otherwise the active ones that list the source.
CREATE FUNCTION load_trunks(ingress_label text, source inet) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  trunk_ids int[];
BEGIN
  IF ingress_label IS NOT NULL THEN
    trunk_ids := ARRAY(SELECT "id" FROM "SipTrunk" WHERE "ingressLabel" = ingress_label);
  ELSE
    -- Unknown sources send thousands of INVITEs a minute, so the networks have an index.
    trunk_ids := ARRAY(SELECT s."trunkId" FROM "SipTrunkSource" s WHERE s."network" >>= source);
  END IF;
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', t."id", 'status', t."status", 'ingressHostOnly', t."ingressHostOnly", 'inboundSourceCidrs', t."inboundSourceCidrs",
      'quirks', t."quirks", 'numberRules', t."numberRules", 'techPrefixes', t."techPrefixes") ORDER BY t."id"), '[]')
    FROM "SipTrunk" t WHERE t."id" = ANY (trunk_ids) AND (ingress_label IS NOT NULL OR t."status" = 'ACTIVE'));
END $$;

-- The lines with these numbers on these trunks, and what decides where they route a call. `candidates`: objects with trunkId and number.
CREATE FUNCTION load_lines(candidates jsonb) RETURNS json LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', l."id", 'ref', l."ref", 'type', l."type", 'status', l."status", 'tenantId', l."tenantId", 'sipTrunkId', l."sipTrunkId",
      'recordingEnabled', l."recordingEnabled", 'ringTimeoutSeconds', l."ringTimeoutSeconds",
      'tenant', json_build_object('id', t."id", 'consumerId', t."consumerId", 'settings', t."settings", 'consumer', json_build_object(
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
