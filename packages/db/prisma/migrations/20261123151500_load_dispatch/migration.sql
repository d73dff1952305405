-- What a dispatch reads. See packages/core/src/call-engine/dispatch-view.ts, whose types describe the result. Like load_step, these functions
-- keep their plans for the whole connection: planning this query took four times as long as running it.

-- Calls that the queue has handed out: an agent has them or is being rung.
CREATE FUNCTION handled_calls(queue_id int) RETURNS int LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (SELECT count(*) FROM "LiveCall" l WHERE l."activeQueueId" = queue_id)
    + (SELECT count(*) FROM "LiveCall" l WHERE l."waitingQueueId" = queue_id AND l."ringing" AND l."activeQueueId" IS DISTINCT FROM queue_id);
END $$;

-- The idle members of a queue, in the order of its strategy, at most `most` (NULL: all; with RING_ALL always all). The longest idle are read from
-- the tenant's idle agents (index Agent_tenantId_idle); with priorities the members are sorted.
CREATE FUNCTION idle_members(q "Queue", at timestamptz, most int)
RETURNS TABLE ("agentId" int, "priority" int, "skills" text[], "idleSince" float8) LANGUAGE sql STABLE AS $$
  (SELECT m."agentId", m."priority", m."skills", (extract(epoch FROM greatest(a."idleSince", a."wrapUpUntil")) * 1000)::float8 AS "idleSince"
      FROM "Agent" a JOIN "QueueMember" m ON m."queueId" = q."id" AND m."agentId" = a."id"
      WHERE q."strategy" <> 'PRIORITY' AND a."tenantId" = q."tenantId" AND a."shift" = 'AVAILABLE' AND a."currentCallId" IS NULL AND a."deletedAt" IS NULL
        AND (a."wrapUpUntil" IS NULL OR a."wrapUpUntil" <= at) AND EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id")
      ORDER BY greatest(a."idleSince", a."wrapUpUntil"), a."id"
      LIMIT CASE WHEN q."strategy" = 'RING_ALL' THEN NULL ELSE most END)
    UNION ALL
    (SELECT m."agentId", m."priority", m."skills", (extract(epoch FROM greatest(a."idleSince", a."wrapUpUntil")) * 1000)::float8
      FROM "QueueMember" m JOIN "Agent" a ON a."id" = m."agentId"
      WHERE q."strategy" = 'PRIORITY' AND m."queueId" = q."id" AND a."shift" = 'AVAILABLE' AND a."currentCallId" IS NULL AND a."deletedAt" IS NULL
        AND (a."wrapUpUntil" IS NULL OR a."wrapUpUntil" <= at) AND EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id")
      ORDER BY m."priority", greatest(a."idleSince", a."wrapUpUntil"), a."id" LIMIT most)
$$;

-- These queues, and every queue in which an idle agent of theirs could take an older call: of each the oldest waiting calls and the first idle
-- agents, at most `most` (NULL: all), and how many calls it handles. Without an idle agent no call is read. The strategy is NULL if the queue
-- was deleted.
CREATE FUNCTION load_dispatch(queue_ids int[], at timestamptz, most int) RETURNS json LANGUAGE plpgsql STABLE
-- A plan that was made while few calls lived must not read whole tables later.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN (
    WITH asked AS MATERIALIZED (
      SELECT w.id FROM unnest(queue_ids) w(id) WHERE EXISTS (SELECT FROM "LiveCall" l WHERE l."waitingQueueId" = w.id)
    ), rung AS MATERIALIZED (
      SELECT DISTINCT i."agentId" FROM asked JOIN "Queue" q ON q."id" = asked.id CROSS JOIN LATERAL idle_members(q, at, most) i
    ), near AS (
      SELECT id FROM asked
      UNION
      SELECT m."queueId" FROM rung JOIN "QueueMember" m ON m."agentId" = rung."agentId"
      WHERE EXISTS (SELECT FROM "LiveCall" l WHERE l."waitingQueueId" = m."queueId")
    ), here AS MATERIALIZED (
      SELECT near.id, q."strategy", q."ringTimeoutSeconds", q."maxActiveCalls",
        (SELECT json_agg(i) FROM idle_members(q, at, most) i WHERE t."status" = 'ACTIVE' AND c."status" = 'ACTIVE') AS agents
      FROM near
      LEFT JOIN "Queue" q ON q."id" = near.id
      LEFT JOIN "Tenant" t ON t."id" = q."tenantId"
      LEFT JOIN "Consumer" c ON c."id" = t."consumerId"
    )
    SELECT coalesce(json_agg(json_build_object(
      'queueId', here.id, 'strategy', here."strategy", 'ringTimeoutSeconds', here."ringTimeoutSeconds",
      'maxActiveCalls', here."maxActiveCalls", 'agents', here.agents,
      -- Oldest first. Those that ring count only with RING_ALL, which adds agents to them.
      'calls', (
        SELECT json_agg(w ORDER BY w."since", w."callId") FROM (
          (SELECT l."callId", (extract(epoch FROM l."waitingSince") * 1000)::float8 AS "since",
            l."activeQueueId" IS NOT DISTINCT FROM l."waitingQueueId" AS "handled",
            coalesce(l."state"->'wait', l."state"#>'{transfer,wait}') - 'stops' AS "wait",
            coalesce(l."state"->'offers', l."state"#>'{transfer,offers}') AS "offers"
            FROM "LiveCall" l WHERE l."waitingQueueId" = here.id AND NOT l."ringing" ORDER BY l."waitingSince", l."callId" LIMIT most)
          UNION ALL
          (SELECT l."callId", (extract(epoch FROM l."waitingSince") * 1000)::float8 AS "since",
            l."activeQueueId" IS NOT DISTINCT FROM l."waitingQueueId" AS "handled",
            coalesce(l."state"->'wait', l."state"#>'{transfer,wait}') - 'stops' AS "wait",
            coalesce(l."state"->'offers', l."state"#>'{transfer,offers}') AS "offers"
            FROM "LiveCall" l WHERE here."strategy" = 'RING_ALL' AND l."waitingQueueId" = here.id AND l."ringing"
            ORDER BY l."waitingSince", l."callId" LIMIT most)) w
        WHERE here.agents IS NOT NULL OR here."strategy" IS NULL),
      'handled', CASE WHEN here."maxActiveCalls" IS NULL OR here.agents IS NULL THEN 0 ELSE handled_calls(here.id) END)), '[]')
    FROM here);
END $$;
