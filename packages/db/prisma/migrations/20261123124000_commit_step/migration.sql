-- A step of a call: load_step reads everything that it needs, commit_step writes everything that it decided. See
-- packages/core/src/call-store, whose types describe both documents.
-- Every connection keeps the plans of these functions. A generic plan is right for all calls, and planning anew would cost more than running.

-- The agents with these IDs. `rowVersion`: a step commits its change only if the row is still this version.
CREATE FUNCTION step_agents(ids int[]) RETURNS json LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', a."id", 'ref', a."ref", 'name', a."name", 'role', a."role", 'doNotDisturb', a."doNotDisturb", 'shift', a."shift",
      'currentCallId', a."currentCallId", 'onCall', a."onCall", 'idleSince', a."idleSince", 'wrapUpUntil', a."wrapUpUntil",
      'consecutiveMissed', a."consecutiveMissed", 'deletedAt', a."deletedAt", 'createdAt', a."createdAt", 'rowVersion', a.xmin::text,
      'deviceIds', ARRAY(SELECT s."deviceId" FROM "AgentConnection" s WHERE s."agentId" = a."id"))), '[]')
    FROM "Agent" a WHERE a."id" = ANY (ids));
END $$;

CREATE FUNCTION step_tenant(tenant_id int) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('ref', "ref", 'settings', "settings") FROM "Tenant" WHERE "id" = tenant_id
$$;

-- @returns NULL if the call is not live. Loads the agents whom the event names, those whom the state names, and those reserved by the call.
CREATE FUNCTION load_step(call_id int, agent_ids int[]) RETURNS json LANGUAGE plpgsql STABLE
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
    'tenant', step_tenant(live."tenantId"),
    'live', json_build_object('state', live."state", 'version', live."version", 'mediaNodeId', live."mediaNodeId",
      'lastEventAt', live."lastEventAt",
      'flow', CASE WHEN jsonb_typeof(live."state"->'flow') = 'object' THEN live."flow" END),
    'agents', step_agents(ARRAY(
      SELECT unnest(agent_ids)
      UNION SELECT "id" FROM "Agent" WHERE "currentCallId" = call_id
      UNION SELECT id::int FROM jsonb_path_query(live."state", '$.**.agentId ? (@.type() == "number")') id)));
END $$;

-- @returns NULL if there is no such tenant
CREATE FUNCTION load_beginning(tenant_id int, agent_ids int[]) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  tenant json := step_tenant(tenant_id);
BEGIN
  RETURN CASE WHEN tenant IS NOT NULL THEN
    json_build_object('callId', nextval(pg_get_serial_sequence('"Call"', 'id')), 'tenant', tenant, 'agents', step_agents(agent_ids))
  END;
END $$;

-- SQLSTATE CL001: the call, or an agent whom the step changes, is no longer as it was loaded. Nothing is written; load again.
-- SQLSTATE CL002: the account has as many live calls as its plan allows, so this one does not begin.

-- The call's participants and legs, its IVR session, transfer and recording, in the order in which the step changed them.
CREATE FUNCTION commit_step_history(call_id int, happened_at timestamptz, entries jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  entry jsonb;
  gone boolean;
BEGIN
  FOR entry IN SELECT * FROM jsonb_array_elements(entries) LOOP
    CASE entry->>'kind'
    WHEN 'join' THEN
      INSERT INTO "CallParticipant" ("callId", "kind", "agentId", "agentRef", "deviceId", "listenerName", "legId", "joinedAt")
      VALUES (call_id, entry->>'participant', (entry->>'agentId')::int, entry->>'agentRef', entry->>'deviceId', entry->>'listenerName',
        entry->>'legId', happened_at);
    WHEN 'leave' THEN
      UPDATE "CallParticipant" SET "leftAt" = happened_at, "leaveReason" = entry->>'reason'
      WHERE "callId" = call_id AND "leftAt" IS NULL
        AND (NOT entry ? 'legId' OR "legId" = entry->>'legId')
        AND (NOT entry ? 'agentId' OR ("agentId" = (entry->>'agentId')::int AND "kind" = 'AGENT'));
      IF NOT entry ? 'legId' AND NOT entry ? 'agentId' THEN
        UPDATE "CallLeg" SET "state" = 'DISCONNECTED', "disconnectedAt" = happened_at
        WHERE "callId" = call_id AND "disconnectedAt" IS NULL;
      END IF;
    WHEN 'leg' THEN
      gone := entry->>'state' IN ('DISCONNECTED', 'FAILED');
      -- If there are several monitors, the row describes the latest one.
      CONTINUE WHEN entry->>'type' = 'MONITOR' AND gone AND entry ? 'legId' AND entry->>'legId' IS DISTINCT FROM (
        SELECT "legId" FROM "CallParticipant" WHERE "callId" = call_id AND "legId" IS NOT NULL ORDER BY "id" DESC LIMIT 1);
      INSERT INTO "CallLeg" AS leg ("callId", "type", "state", "agentId", "deviceId", "legId", "stats", "connectedAt", "disconnectedAt")
      VALUES (call_id, entry->>'type', entry->>'state', (entry->>'agentId')::int, entry->>'deviceId', entry->>'legId', entry->'stats',
          CASE WHEN entry->>'state' = 'CONNECTED' THEN happened_at END, CASE WHEN gone THEN happened_at END)
      ON CONFLICT ("callId", "type") DO UPDATE SET
        "state" = excluded."state",
        "agentId" = coalesce(excluded."agentId", leg."agentId"),
        "deviceId" = coalesce(excluded."deviceId", leg."deviceId"),
        "legId" = coalesce(excluded."legId", leg."legId"),
        "stats" = coalesce(excluded."stats", leg."stats"),
        "connectedAt" = coalesce(excluded."connectedAt", leg."connectedAt"),
        "disconnectedAt" = CASE
          WHEN gone THEN happened_at
          WHEN excluded."state" NOT IN ('CONNECTED', 'CONNECTING') THEN leg."disconnectedAt"
        END;
    WHEN 'ivr-begin' THEN
      INSERT INTO "IvrSession" ("callId", "ivrFlowId", "startedAt") VALUES (call_id, (entry->>'ivrFlowId')::int, happened_at);
    WHEN 'ivr-input' THEN
      INSERT INTO "IvrInput" ("ivrSessionId", "nodeName", "input", "pressedAt")
      SELECT max("id"), entry->>'nodeName', entry->>'input', happened_at
      FROM "IvrSession" WHERE "callId" = call_id AND "endedAt" IS NULL HAVING max("id") IS NOT NULL;
    WHEN 'ivr-end' THEN
      UPDATE "IvrSession" SET "completed" = (entry->>'completed')::boolean, "outcome" = entry->>'outcome', "endedAt" = happened_at
      WHERE "id" = (SELECT max("id") FROM "IvrSession" WHERE "callId" = call_id AND "endedAt" IS NULL);
    WHEN 'transfer-begin' THEN
      INSERT INTO "CallTransfer" ("callId", "fromAgentId", "toAgentId", "toQueueId", "initiatedByAgentId", "initiatedByType", "transferredAt")
      VALUES (call_id, (entry->>'fromAgentId')::int, (entry->>'toAgentId')::int, (entry->>'toQueueId')::int,
        (entry->>'fromAgentId')::int, 'AGENT', happened_at);
    WHEN 'transfer-accepted' THEN
      UPDATE "CallTransfer" SET "toAgentId" = (entry->>'agentId')::int, "acceptedAt" = happened_at
      WHERE "id" = (SELECT max("id") FROM "CallTransfer" WHERE "callId" = call_id);
    WHEN 'recording-begin' THEN
      INSERT INTO "Recording" ("callId", "storageKey", "mediaNodeId", "channelMap")
      VALUES (call_id, entry->>'storageKey', entry->>'mediaNodeId', '{"left": "CUSTOMER", "right": "AGENT"}')
      ON CONFLICT ("callId") DO NOTHING;
    END CASE;
  END LOOP;
END $$;

-- The agents of a step: the complete new row of each, if it is still the version that was loaded.
CREATE FUNCTION commit_step_agents(changes jsonb, happened_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  FOR change IN SELECT * FROM jsonb_to_recordset(changes) AS c(
    "id" int, "rowVersion" text, "currentCallId" int, "onCall" boolean, "idleSince" timestamptz, "wrapUpUntil" timestamptz,
    "consecutiveMissed" int, "shift" "ShiftStatus", "shiftEnds" boolean)
  LOOP
    UPDATE "Agent" SET "currentCallId" = change."currentCallId", "onCall" = change."onCall", "idleSince" = change."idleSince",
      "wrapUpUntil" = change."wrapUpUntil", "consecutiveMissed" = change."consecutiveMissed", "shift" = change."shift",
      "updatedAt" = happened_at
    WHERE "id" = change."id" AND xmin::text = change."rowVersion";
    IF NOT FOUND THEN
      RAISE EXCEPTION 'agent % was changed by another process', change."id" USING ERRCODE = 'CL001';
    END IF;
    IF change."shiftEnds" THEN
      UPDATE "AgentShift" SET "endedAt" = greatest("startedAt", happened_at) WHERE "agentId" = change."id" AND "endedAt" IS NULL;
    END IF;
  END LOOP;
END $$;

-- The usage record of a call that ends. Every ended call has one; an unanswered call has 0 seconds.
CREATE FUNCTION record_call_usage(call_id int, recorded_at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "UsageRecord" ("consumerId", "tenantId", "tenantRef", "callId", "kind", "direction", "channelType", "trunkOwner",
    "sipTrunkId", "seconds", "createdAt")
  SELECT c."consumerId", c."tenantId", t."ref", c."id", 'CALL', c."direction", c."channelType",
    CASE WHEN s."id" IS NULL THEN NULL WHEN s."consumerId" IS NULL THEN 'PLATFORM' ELSE 'CONSUMER' END, c."sipTrunkId",
    least(coalesce(call_talk_seconds(c."answeredAt", c."endedAt"), 0), 2147483647)::int, recorded_at
  FROM "Call" c JOIN "Tenant" t ON t."id" = c."tenantId" LEFT JOIN "SipTrunk" s ON s."id" = c."sipTrunkId"
  WHERE c."id" = call_id
  ON CONFLICT ("callId", "kind") DO NOTHING
$$;

-- @returns the outbox row of the step's effects
CREATE FUNCTION commit_step(step jsonb) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  call_id int := (step->>'callId')::int;
  happened_at timestamptz := (step->>'at')::timestamptz;
  live "LiveCall" := jsonb_populate_record(NULL::"LiveCall", step->'live');
  patch jsonb := step->'patch';
  outbox_id bigint;
BEGIN
  IF step ? 'create' THEN
    -- Columns that are not named have their default, also those that a later version adds.
    INSERT INTO "Call" ("id", "consumerId", "tenantId", "direction", "status", "channelId", "channelRef", "channelType", "sipTrunkId",
      "queueId", "queueRef", "agentId", "agentRef", "customerAddress", "customerAddressType", "customerWithheld", "customerName",
      "externalRef", "consumerMetadata", "mediaPath", "inviteId", "callbackOf", "createdAt")
    SELECT "id", "consumerId", "tenantId", "direction", "status", "channelId", "channelRef", "channelType", "sipTrunkId",
      "queueId", "queueRef", "agentId", "agentRef", "customerAddress", "customerAddressType", "customerWithheld", "customerName",
      "externalRef", "consumerMetadata", "mediaPath", "inviteId", "callbackOf", "createdAt"
    FROM jsonb_populate_record(NULL::"Call", step->'create');
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

  IF step ? 'patch' THEN
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
