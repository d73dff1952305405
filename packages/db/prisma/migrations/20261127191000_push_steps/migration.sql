-- Agents whose devices are woken by push notifications: what loads, dispatches and commits a step knows of them.

-- Whether a call can ring the agent: an app of theirs is connected, or a push notification can wake one.
CREATE FUNCTION agent_reachable(a "Agent") RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT (a."wakeable" AND NOT a."doNotDisturb") OR EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id")
$$;

-- With whether a push notification can wake a device of theirs.
CREATE OR REPLACE FUNCTION step_agents(ids int[]) RETURNS json LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', a."id", 'ref', a."ref", 'name', a."name", 'role', a."role", 'doNotDisturb', a."doNotDisturb",
      'wakeable', a."wakeable", 'shift', a."shift",
      'currentCallId', a."currentCallId", 'onCall', a."onCall", 'idleSince', a."idleSince", 'wrapUpUntil', a."wrapUpUntil",
      'consecutiveMissed', a."consecutiveMissed", 'deletedAt', a."deletedAt", 'createdAt', a."createdAt", 'rowVersion', a.xmin::text,
      'deviceIds', ARRAY(SELECT s."deviceId" FROM "AgentConnection" s WHERE s."agentId" = a."id"))), '[]')
    FROM "Agent" a WHERE a."id" = ANY (ids));
END $$;

-- With owners whom a push notification can wake.
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
      'stops', CASE WHEN l."inboundQueueId" IS NULL THEN '[]' ELSE overflow_chain(l."inboundQueueId") END)), '[]')
    FROM jsonb_to_recordset(candidates) AS wanted("trunkId" int, "number" text)
    JOIN "Channel" l ON l."sipTrunkId" = wanted."trunkId" AND l."address" = wanted."number"
    JOIN "Tenant" t ON t."id" = l."tenantId"
    JOIN "Consumer" c ON c."id" = t."consumerId");
END $$;

CREATE INDEX "Agent_tenantId_asleep" ON "Agent"("tenantId", greatest("idleSince", "wrapUpUntil"), "id")
  WHERE "wakeable" AND NOT "doNotDisturb" AND "shift" = 'AVAILABLE' AND "currentCallId" IS NULL AND "deletedAt" IS NULL;

-- The idle members of a queue, in the order of its strategy, at most `most` of those who are connected and of those who are asleep (NULL: all;
-- with RING_ALL always all). Asleep: no app is connected, and a push notification can wake one. The longest idle are read from the tenant's
-- idle agents (indexes Agent_tenantId_idle and Agent_tenantId_asleep); with priorities the members are sorted.
DROP FUNCTION idle_members(q "Queue", at timestamptz, most int);
CREATE FUNCTION idle_members(q "Queue", at timestamptz, most int)
RETURNS TABLE ("agentId" int, "priority" int, "skills" text[], "idleSince" float8, "asleep" boolean) LANGUAGE sql STABLE AS $$
  (SELECT m."agentId", m."priority", m."skills", (extract(epoch FROM greatest(a."idleSince", a."wrapUpUntil")) * 1000)::float8 AS "idleSince", false AS "asleep"
      FROM "Agent" a JOIN "QueueMember" m ON m."queueId" = q."id" AND m."agentId" = a."id"
      WHERE q."strategy" <> 'PRIORITY' AND a."tenantId" = q."tenantId" AND a."shift" = 'AVAILABLE' AND a."currentCallId" IS NULL AND a."deletedAt" IS NULL
        AND (a."wrapUpUntil" IS NULL OR a."wrapUpUntil" <= at) AND EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id")
      ORDER BY greatest(a."idleSince", a."wrapUpUntil"), a."id" LIMIT CASE WHEN q."strategy" = 'RING_ALL' THEN NULL ELSE most END)
    UNION ALL
  (SELECT m."agentId", m."priority", m."skills", (extract(epoch FROM greatest(a."idleSince", a."wrapUpUntil")) * 1000)::float8, true
      FROM "Agent" a JOIN "QueueMember" m ON m."queueId" = q."id" AND m."agentId" = a."id"
      WHERE q."strategy" <> 'PRIORITY' AND a."tenantId" = q."tenantId" AND a."shift" = 'AVAILABLE' AND a."currentCallId" IS NULL AND a."deletedAt" IS NULL
        AND (a."wrapUpUntil" IS NULL OR a."wrapUpUntil" <= at) AND a."wakeable" AND NOT a."doNotDisturb"
        AND NOT EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id")
      ORDER BY greatest(a."idleSince", a."wrapUpUntil"), a."id" LIMIT CASE WHEN q."strategy" = 'RING_ALL' THEN NULL ELSE most END)
    UNION ALL
  (SELECT m."agentId", m."priority", m."skills", (extract(epoch FROM greatest(a."idleSince", a."wrapUpUntil")) * 1000)::float8, false
      FROM "QueueMember" m JOIN "Agent" a ON a."id" = m."agentId"
      WHERE q."strategy" = 'PRIORITY' AND m."queueId" = q."id" AND a."shift" = 'AVAILABLE' AND a."currentCallId" IS NULL AND a."deletedAt" IS NULL
        AND (a."wrapUpUntil" IS NULL OR a."wrapUpUntil" <= at) AND EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id")
      ORDER BY m."priority", greatest(a."idleSince", a."wrapUpUntil"), a."id" LIMIT most)
    UNION ALL
  (SELECT m."agentId", m."priority", m."skills", (extract(epoch FROM greatest(a."idleSince", a."wrapUpUntil")) * 1000)::float8, true
      FROM "QueueMember" m JOIN "Agent" a ON a."id" = m."agentId"
      WHERE q."strategy" = 'PRIORITY' AND m."queueId" = q."id" AND a."shift" = 'AVAILABLE' AND a."currentCallId" IS NULL AND a."deletedAt" IS NULL
        AND (a."wrapUpUntil" IS NULL OR a."wrapUpUntil" <= at) AND a."wakeable" AND NOT a."doNotDisturb"
        AND NOT EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id")
      ORDER BY m."priority", greatest(a."idleSince", a."wrapUpUntil"), a."id" LIMIT most)
$$;

-- A device is told that a call no longer rings it within this time, or not at all.
CREATE FUNCTION push_withdrawal_valid_for() RETURNS interval LANGUAGE sql IMMUTABLE AS $$ SELECT interval '30 seconds' $$;
-- A missed call is shown within this time, or not at all.
CREATE FUNCTION push_missed_valid_for() RETURNS interval LANGUAGE sql IMMUTABLE AS $$ SELECT interval '4 hours' $$;

-- The push notifications that a step causes. `orders` is an array of objects: kind, agentId, and of INCOMING assignmentType and validMs, of
-- WITHDRAWN reason and exceptDeviceId. Times are those of the database, because the workers that send them compare with it.
-- INCOMING wakes each device of the agent that has no socket. WITHDRAWN cancels what was not sent, and tells the devices that were woken, other
-- than those on iOS, where each VoIP push must be a new call. MISSED is a banner on iOS; other devices show a missed call themselves.
CREATE FUNCTION record_pushes(call_id int, orders jsonb) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  at timestamptz := clock_timestamp();
BEGIN
  UPDATE "PushNotification" n SET "status" = 'CANCELLED', "finishedAt" = at, "reason" = o."reason"
  FROM jsonb_to_recordset(orders) AS o("kind" text, "agentId" int, "reason" text)
  WHERE o."kind" = 'WITHDRAWN' AND n."callId" = call_id AND n."agentId" = o."agentId" AND n."kind" = 'INCOMING'
    AND n."status" IN ('PENDING', 'CLAIMED');
  INSERT INTO "PushNotification" ("callId", "consumerId", "agentId", "tokenId", "deviceId", "platform", "provider", "kind", "withdrawReason",
    "createdAt", "dueAt", "expiresAt")
  SELECT call_id, n."consumerId", n."agentId", n."tokenId", n."deviceId", n."platform", n."provider", 'WITHDRAWN', o."reason",
    at, at, at + push_withdrawal_valid_for()
  FROM jsonb_to_recordset(orders) AS o("kind" text, "agentId" int, "reason" text, "exceptDeviceId" text)
  JOIN "PushNotification" n ON n."callId" = call_id AND n."agentId" = o."agentId"
  WHERE o."kind" = 'WITHDRAWN' AND n."kind" = 'INCOMING' AND n."status" IN ('SENDING', 'SENT', 'UNKNOWN') AND n."platform" <> 'IOS'
    AND n."deviceId" IS DISTINCT FROM o."exceptDeviceId"
    AND NOT EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = n."agentId" AND s."deviceId" = n."deviceId")
    -- The call may have rung the agent before.
    AND NOT EXISTS (SELECT FROM "PushNotification" later WHERE later."callId" = call_id AND later."agentId" = n."agentId"
      AND later."tokenId" = n."tokenId" AND later."id" > n."id");
  INSERT INTO "PushNotification" ("callId", "consumerId", "agentId", "tokenId", "deviceId", "platform", "provider", "kind", "assignmentType",
    "createdAt", "dueAt", "expiresAt")
  SELECT call_id, t."consumerId", a."id", k."id", k."deviceId", k."platform", k."provider", o."kind"::"PushKind", o."assignmentType", at, at,
    at + CASE o."kind" WHEN 'INCOMING' THEN o."validMs" * interval '1 millisecond' ELSE push_missed_valid_for() END
  FROM jsonb_to_recordset(orders) AS o("kind" text, "agentId" int, "assignmentType" text, "validMs" int)
  JOIN "Agent" a ON a."id" = o."agentId" AND a."deletedAt" IS NULL AND NOT a."doNotDisturb"
  JOIN "Tenant" t ON t."id" = a."tenantId"
  JOIN "PushToken" k ON k."agentId" = a."id" AND k."rejectedAt" IS NULL
  JOIN "PushCredential" c ON c."consumerId" = t."consumerId" AND c."provider" = push_credential_of(k."provider")
  WHERE CASE o."kind" WHEN 'INCOMING' THEN push_wakes(k."platform", k."provider")
      WHEN 'MISSED' THEN k."platform" = 'IOS' AND k."provider" IN ('FCM', 'ONESIGNAL') END
    AND NOT EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id" AND s."deviceId" = k."deviceId")
  ORDER BY a."id", k."id";
END $$;

-- With push notifications.
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
  IF step ? 'remembered' THEN
    PERFORM check_remembered(call_id, step->'remembered');
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
  INSERT INTO "CallLifecycle" ("callId", "type", "agentId", "occurredAt", "durationSeconds", "metadata")
  SELECT call_id, l."type", l."agentId", happened_at, l."durationSeconds", l."metadata"
  FROM jsonb_to_recordset(step->'lifecycle') AS l("type" text, "agentId" int, "durationSeconds" int, "metadata" jsonb);
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
