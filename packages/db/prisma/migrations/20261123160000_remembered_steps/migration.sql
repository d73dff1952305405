-- commit_step writes a new call's row once, with what the step that creates it changes.
--
-- A process that keeps the rows of a call in memory after its step computes the next step from them, without load_step. commit_step then
-- checks that none of them has changed. See packages/core/src/call-engine/step-memory.ts.

-- `rowVersion`: a step computed from memory is committed only if the row is still this version.
CREATE OR REPLACE FUNCTION step_tenant(tenant_id int) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('ref', t."ref", 'settings', t."settings", 'rowVersion', t.xmin::text) FROM "Tenant" t WHERE t."id" = tenant_id
$$;

-- @returns NULL if the call is not live. Loads the agents whom the event names, those whom the state names, and those reserved by the call.
CREATE OR REPLACE FUNCTION load_step(call_id int, agent_ids int[]) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  live "LiveCall";
BEGIN
  SELECT * INTO live FROM "LiveCall" WHERE "callId" = call_id;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  RETURN json_build_object(
    'call', (SELECT to_jsonb(k) FROM "Call" k WHERE k."id" = call_id),
    'callRowVersion', (SELECT k.xmin::text FROM "Call" k WHERE k."id" = call_id),
    'tenant', step_tenant(live."tenantId"),
    'live', json_build_object('state', live."state", 'version', live."version", 'mediaNodeId', live."mediaNodeId",
      'lastEventAt', live."lastEventAt",
      'flow', CASE WHEN jsonb_typeof(live."state"->'flow') = 'object' THEN live."flow" END),
    'agents', step_agents(ARRAY(
      SELECT unnest(agent_ids)
      UNION SELECT "id" FROM "Agent" WHERE "currentCallId" = call_id
      UNION SELECT id::int FROM jsonb_path_query(live."state", '$.**.agentId ? (@.type() == "number")') id)));
END $$;

-- Raises CL001 if the call's row, its tenant or an agent has changed since this process read or wrote it. A device that connects or disconnects
-- does not change the agent's row, so the devices are compared as well.
CREATE FUNCTION check_remembered(call_id int, remembered jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  agent record;
BEGIN
  PERFORM FROM "Call" c JOIN "Tenant" t ON t."id" = c."tenantId"
  WHERE c."id" = call_id AND c.xmin::text = remembered->>'callRowVersion' AND t.xmin::text = remembered->>'tenantRowVersion';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the rows of call % were changed by another process', call_id USING ERRCODE = 'CL001';
  END IF;
  FOR agent IN SELECT * FROM jsonb_to_recordset(remembered->'agents') AS r("id" int, "rowVersion" text, "deviceIds" text[]) LOOP
    PERFORM FROM "Agent" a WHERE a."id" = agent."id" AND a.xmin::text = agent."rowVersion"
      AND ARRAY(SELECT s."deviceId" FROM "AgentConnection" s WHERE s."agentId" = a."id" ORDER BY 1) = ARRAY(SELECT unnest(agent."deviceIds") ORDER BY 1);
    IF NOT FOUND THEN
      RAISE EXCEPTION 'agent % was changed by another process', agent."id" USING ERRCODE = 'CL001';
    END IF;
  END LOOP;
END $$;

-- @returns the outbox row of the step's effects
CREATE OR REPLACE FUNCTION commit_step(step jsonb) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  call_id int := (step->>'callId')::int;
  happened_at timestamptz := (step->>'at')::timestamptz;
  live "LiveCall" := jsonb_populate_record(NULL::"LiveCall", step->'live');
  patch jsonb := step->'patch';
  outbox_id bigint;
BEGIN
  IF step ? 'create' THEN
    -- With what the same step changes, because an update would write every index of the row again. Columns that are not named have their
    -- default, also those that a later version adds.
    INSERT INTO "Call" ("id", "consumerId", "tenantId", "direction", "status", "channelId", "channelRef", "channelType", "sipTrunkId",
      "queueId", "queueRef", "agentId", "agentRef", "customerAddress", "customerAddressType", "customerWithheld", "customerName",
      "externalRef", "consumerMetadata", "mediaPath", "inviteId", "callbackOf", "createdAt", "overflowed", "ringingAt", "queuedAt",
      "answeredAt", "endedAt", "terminationReason", "terminatedBy", "failureDetails", "eventSequence")
    SELECT "id", "consumerId", "tenantId", "direction", "status", "channelId", "channelRef", "channelType", "sipTrunkId",
      "queueId", "queueRef", "agentId", "agentRef", "customerAddress", "customerAddressType", "customerWithheld", "customerName",
      "externalRef", "consumerMetadata", "mediaPath", "inviteId", "callbackOf", "createdAt", coalesce("overflowed", false), "ringingAt", "queuedAt",
      "answeredAt", "endedAt", "terminationReason", "terminatedBy", "failureDetails", (step->>'eventSequence')::int
    FROM jsonb_populate_record(NULL::"Call", (step->'create') || coalesce(patch, '{}'));
    IF step ? 'live' THEN
      INSERT INTO "LiveCall" ("callId", "consumerId", "tenantId", "state", "flow", "leaseNodeId", "mediaNodeId", "lastEventAt",
        "nextDeadlineAt", "waitingQueueId", "waitingSince", "activeQueueId", "awaitedOwnerId")
      VALUES (call_id, live."consumerId", live."tenantId", live."state", live."flow", live."leaseNodeId", live."mediaNodeId",
        live."lastEventAt", live."nextDeadlineAt", live."waitingQueueId", live."waitingSince", live."activeQueueId",
        live."awaitedOwnerId");
      -- A trigger has counted the call, and holds the count until the commit.
      IF EXISTS (SELECT FROM "ConsumerLiveCalls" n JOIN "Consumer" c ON c."id" = n."consumerId"
        WHERE n."consumerId" = live."consumerId" AND n."calls" > c."planCallsAtOnce") THEN
        RAISE EXCEPTION 'the limit of concurrent calls is reached' USING ERRCODE = 'CL002';
      END IF;
    END IF;
  ELSIF step ? 'live' THEN
    UPDATE "LiveCall" SET "version" = "version" + 1, "state" = live."state", "mediaNodeId" = live."mediaNodeId",
      "lastEventAt" = coalesce(live."lastEventAt", "lastEventAt"), "nextDeadlineAt" = live."nextDeadlineAt",
      "waitingQueueId" = live."waitingQueueId", "waitingSince" = live."waitingSince", "activeQueueId" = live."activeQueueId",
      "awaitedOwnerId" = live."awaitedOwnerId"
    WHERE "callId" = call_id AND "version" = (step->>'version')::int;
  ELSE
    DELETE FROM "LiveCall" WHERE "callId" = call_id AND "version" = (step->>'version')::int;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'call % was changed by another process', call_id USING ERRCODE = 'CL001';
  END IF;
  IF step ? 'remembered' THEN
    PERFORM check_remembered(call_id, step->'remembered');
  END IF;
  IF NOT step ? 'live' THEN
    -- A dial or route command repeated after the release would create the leg again.
    DELETE FROM "EngineOutbox" WHERE "callId" = call_id;
  END IF;

  IF step ? 'history' THEN
    PERFORM commit_step_history(call_id, happened_at, step->'history');
  END IF;
  INSERT INTO "CallLifecycle" ("callId", "type", "agentId", "occurredAt", "durationSeconds", "metadata")
  SELECT call_id, l."type", l."agentId", happened_at, l."durationSeconds", l."metadata"
  FROM jsonb_to_recordset(step->'lifecycle') AS l("type" text, "agentId" int, "durationSeconds" int, "metadata" jsonb);
  IF step ? 'agents' THEN
    PERFORM commit_step_agents(step->'agents', happened_at);
  END IF;

  IF step ? 'patch' AND NOT step ? 'create' THEN
    UPDATE "Call" SET
      "status" = coalesce((patch->>'status')::"CallStatus", "status"),
      "agentId" = CASE WHEN patch ? 'agentId' THEN (patch->>'agentId')::int ELSE "agentId" END,
      "agentRef" = CASE WHEN patch ? 'agentId' THEN patch->>'agentRef' ELSE "agentRef" END,
      "queueId" = coalesce((patch->>'queueId')::int, "queueId"),
      "queueRef" = coalesce(patch->>'queueRef', "queueRef"),
      "overflowed" = coalesce((patch->>'overflowed')::boolean, "overflowed"),
      "customerName" = coalesce(patch->>'customerName', "customerName"),
      "externalRef" = coalesce(patch->>'externalRef', "externalRef"),
      "mediaPath" = coalesce((patch->>'mediaPath')::"MediaPath", "mediaPath"),
      "ringingAt" = coalesce((patch->>'ringingAt')::timestamptz, "ringingAt"),
      "queuedAt" = coalesce((patch->>'queuedAt')::timestamptz, "queuedAt"),
      "answeredAt" = coalesce((patch->>'answeredAt')::timestamptz, "answeredAt"),
      "endedAt" = coalesce((patch->>'endedAt')::timestamptz, "endedAt"),
      "terminationReason" = coalesce(patch->>'terminationReason', "terminationReason"),
      "terminatedBy" = coalesce(patch->>'terminatedBy', "terminatedBy"),
      "failureDetails" = coalesce(patch->'failureDetails', "failureDetails"),
      "eventSequence" = (step->>'eventSequence')::int
    WHERE "id" = call_id AND "eventSequence" = (step->>'previousEventSequence')::int;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'an event of call % was recorded by another process', call_id USING ERRCODE = 'CL001';
    END IF;
  END IF;
  IF step ? 'ended' THEN
    PERFORM record_call_usage(call_id, happened_at);
    UPDATE "Recording" SET "status" = 'PROCESSING' WHERE "callId" = call_id AND "status" = 'RECORDING';
  END IF;

  IF jsonb_array_length(step->'events') > 0 THEN
    PERFORM record_events(step->'events');
  END IF;

  INSERT INTO "EngineOutbox" ("callId", "effects", "claimedUntil")
  VALUES (call_id, step->'effects', clock_timestamp() + (step->>'claimMs')::int * interval '1 millisecond') RETURNING "id" INTO outbox_id;
  RETURN outbox_id;
END $$;
