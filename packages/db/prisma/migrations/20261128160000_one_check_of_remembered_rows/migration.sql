-- What a step was computed from is checked by one query instead of two and one more for each agent: starting a query costs more than these do.

-- Whether the call's row, its tenant and its agents are as this process read or wrote them. A device that connects or disconnects does not change the
-- agent's row, so the devices are compared as well. An agent who is gone compares as NULL.
CREATE FUNCTION remembered_unchanged(call_id int, remembered jsonb) RETURNS boolean LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
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

-- As before, with that query, and without an empty insert.
CREATE OR REPLACE FUNCTION commit_step(step jsonb) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  call_id int := (step->>'callId')::int;
  happened_at timestamptz := (step->>'at')::timestamptz;
  live "LiveCall" := jsonb_populate_record(NULL::"LiveCall", step->'live');
  patch jsonb := step->'patch';
  usage jsonb := step->'usage';
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
      -- Before the row that counts the account's live calls, as when a call ends.
      PERFORM lock_paying_accounts(live."consumerId", live."tenantId", step->'credit');
      INSERT INTO "LiveCall" ("callId", "consumerId", "tenantId", "state", "flow", "leaseNodeId", "mediaNodeId", "lastEventAt",
        "nextDeadlineAt", "waitingQueueId", "waitingSince", "activeQueueId", "awaitedOwnerId", "limitedTrunkIds")
      VALUES (call_id, live."consumerId", live."tenantId", live."state", live."flow", live."leaseNodeId", live."mediaNodeId",
        live."lastEventAt", live."nextDeadlineAt", live."waitingQueueId", live."waitingSince", live."activeQueueId",
        live."awaitedOwnerId", coalesce(live."limitedTrunkIds", '{}'));
      PERFORM reserve_credit(call_id, live."consumerId", live."tenantId", step->'credit');
      -- A trigger has counted the call, and holds the count until the commit.
      IF EXISTS (SELECT FROM "ConsumerLiveCalls" n JOIN "Consumer" c ON c."id" = n."consumerId"
        WHERE n."consumerId" = live."consumerId" AND n."calls" > c."planCallsAtOnce") THEN
        RAISE EXCEPTION 'the limit of concurrent calls is reached' USING ERRCODE = 'CL002';
      END IF;
      IF EXISTS (SELECT FROM "TrunkLiveCalls" n JOIN "SipTrunk" t ON t."id" = n."trunkId"
        WHERE n."trunkId" = ANY (live."limitedTrunkIds") AND n."calls" > t."maxCalls") THEN
        RAISE EXCEPTION 'the limit of concurrent calls of the trunk is reached' USING ERRCODE = 'CL003';
      END IF;
    END IF;
  ELSIF step ? 'live' THEN
    UPDATE "LiveCall" SET "version" = "version" + 1, "state" = live."state", "mediaNodeId" = live."mediaNodeId",
      "lastEventAt" = coalesce(live."lastEventAt", "lastEventAt"), "nextDeadlineAt" = live."nextDeadlineAt",
      "waitingQueueId" = live."waitingQueueId", "waitingSince" = live."waitingSince", "activeQueueId" = live."activeQueueId",
      "awaitedOwnerId" = live."awaitedOwnerId"
    WHERE "callId" = call_id AND "version" = (step->>'version')::int;
  ELSE
    -- Before the deletion, which releases the credit. If the call was changed by another process, nothing of this is committed.
    usage := within_credit(call_id, usage);
    DELETE FROM "LiveCall" WHERE "callId" = call_id AND "version" = (step->>'version')::int;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'call % was changed by another process', call_id USING ERRCODE = 'CL001';
  END IF;
  IF step ? 'remembered' AND NOT remembered_unchanged(call_id, step->'remembered') THEN
    RAISE EXCEPTION 'the rows of call % or of its agents were changed by another process', call_id USING ERRCODE = 'CL001';
  END IF;
  IF NOT step ? 'live' THEN
    -- A dial or route command repeated after the release would create the leg again.
    DELETE FROM "EngineOutbox" WHERE "callId" = call_id;
  END IF;

  IF step ? 'connected' AND step ? 'live' THEN
    PERFORM begin_charging(call_id, step->'connected');
  END IF;
  IF step ? 'history' THEN
    PERFORM commit_step_history(call_id, happened_at, step->'history');
  END IF;
  IF jsonb_array_length(step->'lifecycle') > 0 THEN
    INSERT INTO "CallLifecycle" ("callId", "type", "agentId", "occurredAt", "durationSeconds", "metadata")
    SELECT call_id, l."type", l."agentId", happened_at, l."durationSeconds", l."metadata"
    FROM jsonb_to_recordset(step->'lifecycle') AS l("type" text, "agentId" int, "durationSeconds" int, "metadata" jsonb);
  END IF;
  IF step ? 'agents' THEN
    PERFORM commit_step_agents(step->'agents', happened_at);
  END IF;

  IF step ? 'patch' AND NOT step ? 'create' THEN
    IF patch ? 'sipTrunkId' THEN
      -- The call no longer counts on the trunks that it might have used.
      UPDATE "LiveCall" SET "limitedTrunkIds" = ARRAY(SELECT id FROM unnest("limitedTrunkIds") id WHERE id = (patch->>'sipTrunkId')::int)
      WHERE "callId" = call_id AND cardinality("limitedTrunkIds") > 0;
    END IF;
    UPDATE "Call" SET
      "status" = coalesce((patch->>'status')::"CallStatus", "status"),
      "agentId" = CASE WHEN patch ? 'agentId' THEN (patch->>'agentId')::int ELSE "agentId" END,
      "agentRef" = CASE WHEN patch ? 'agentId' THEN patch->>'agentRef' ELSE "agentRef" END,
      "queueId" = coalesce((patch->>'queueId')::int, "queueId"),
      "queueRef" = coalesce(patch->>'queueRef', "queueRef"),
      "overflowed" = coalesce((patch->>'overflowed')::boolean, "overflowed"),
      "customerName" = coalesce(patch->>'customerName', "customerName"),
      "externalRef" = coalesce(patch->>'externalRef', "externalRef"),
      "sipTrunkId" = coalesce((patch->>'sipTrunkId')::int, "sipTrunkId"),
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
    PERFORM record_call_usage(call_id, happened_at, usage);
    UPDATE "Recording" SET "status" = 'PROCESSING' WHERE "callId" = call_id AND "status" = 'RECORDING';
  END IF;

  IF jsonb_array_length(step->'events') > 0 THEN
    PERFORM record_events(step->'events');
  END IF;

  IF step ? 'pushes' THEN
    PERFORM record_pushes(call_id, step->'pushes');
  END IF;

  INSERT INTO "EngineOutbox" ("callId", "effects", "claimedUntil")
  VALUES (call_id, step->'effects', clock_timestamp() + (step->>'claimMs')::int * interval '1 millisecond') RETURNING "id" INTO outbox_id;
  RETURN outbox_id;
END $$;

DROP FUNCTION check_remembered(int, jsonb);
