-- Credit that is reserved while a call exists, on the accounts of its tenant and its consumer.

ALTER TABLE "BillingAccount" ADD COLUMN "reserved" DECIMAL(18,6) NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "CreditReservation" (
    "callId" INTEGER NOT NULL,
    "accountId" INTEGER NOT NULL,
    "amount" DECIMAL(18,6) NOT NULL,
    "paidSeconds" INTEGER,
    "paidUntil" TIMESTAMPTZ(3),

    CONSTRAINT "CreditReservation_pkey" PRIMARY KEY ("callId","accountId")
);

-- CreateIndex
CREATE INDEX "CreditReservation_accountId_idx" ON "CreditReservation"("accountId");

-- CreateIndex
CREATE INDEX "CreditReservation_paidUntil_idx" ON "CreditReservation"("paidUntil");

-- AddForeignKey
ALTER TABLE "CreditReservation" ADD CONSTRAINT "CreditReservation_callId_fkey" FOREIGN KEY ("callId") REFERENCES "LiveCall"("callId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "CreditReservation" ADD CONSTRAINT "CreditReservation_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "BillingAccount"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whatever ends a call releases its credit: the reservation is deleted with the live call, and "reserved" is always the sum of the reservations.
CREATE FUNCTION count_reserved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "BillingAccount" SET "reserved" = "reserved"
    + CASE WHEN TG_OP = 'DELETE' THEN 0 ELSE NEW."amount" END - CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD."amount" END
  WHERE "id" = CASE WHEN TG_OP = 'DELETE' THEN OLD."accountId" ELSE NEW."accountId" END;
  RETURN NULL;
END $$;
CREATE TRIGGER "CreditReservation_counted" AFTER INSERT OR DELETE ON "CreditReservation"
  FOR EACH ROW EXECUTE FUNCTION count_reserved();
CREATE TRIGGER "CreditReservation_changed" AFTER UPDATE OF "amount" ON "CreditReservation"
  FOR EACH ROW WHEN (OLD."amount" <> NEW."amount") EXECUTE FUNCTION count_reserved();

-- What the account can still pay for; null: without limit.
CREATE FUNCTION available_credit(account "BillingAccount") RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT account."balance" - account."reserved"
    + CASE account."mode" WHEN 'PREPAID' THEN 0 ELSE account."creditLimit" END
$$;

-- The accounts that pay for calls of a tenant. Every transaction locks them in the order of their IDs.
CREATE FUNCTION paying_accounts(consumer_id int, tenant_id int) RETURNS SETOF "BillingAccount" LANGUAGE sql STABLE AS $$
  SELECT * FROM "BillingAccount" WHERE "id" IN (
    SELECT "id" FROM "BillingAccount" WHERE "tenantId" = tenant_id
    UNION ALL
    SELECT "id" FROM "BillingAccount" WHERE "consumerId" = consumer_id AND "owner" = 'CONSUMER')
$$;

-- Those that reserve credit for a call that begins.
CREATE FUNCTION lock_paying_accounts(consumer_id int, tenant_id int, credit jsonb) RETURNS void LANGUAGE sql AS $$
  SELECT FROM "BillingAccount" WHERE "id" IN (SELECT "id" FROM paying_accounts(consumer_id, tenant_id)) AND credit ? "owner"::text
  ORDER BY "id" FOR NO KEY UPDATE
$$;

-- Reserves the first blocks of a call that begins, on both accounts or on neither. `credit`: by owner, { amount, currency } (FirstBlocks of
-- packages/core); an account without one does not pay for the call. The accounts are locked until the commit, so concurrent calls never
-- reserve the same credit.
CREATE FUNCTION reserve_credit(call_id int, consumer_id int, tenant_id int, credit jsonb) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  account "BillingAccount";
  block jsonb;
BEGIN
  FOR account IN SELECT * FROM paying_accounts(consumer_id, tenant_id) ORDER BY "id" LOOP
    IF account."status" = 'SUSPENDED' THEN
      RAISE EXCEPTION '% suspended', account."owner" USING ERRCODE = 'CL004';
    END IF;
    block := credit->(account."owner"::text);
    CONTINUE WHEN block->>'currency' IS DISTINCT FROM account."currency";
    INSERT INTO "CreditReservation" ("callId", "accountId", "amount") VALUES (call_id, account."id", (block->>'amount')::numeric);
    IF (block->>'amount')::numeric > 0
      AND EXISTS (SELECT FROM "BillingAccount" a WHERE a."id" = account."id" AND available_credit(a) < 0) THEN
      RAISE EXCEPTION '% insufficient_balance', account."owner" USING ERRCODE = 'CL004';
    END IF;
  END LOOP;
END $$;

-- The customer has been connected: the blocks that are reserved last from now on. `connected`: { at, seconds: by owner }; an account without
-- seconds has no price on the trunk that carries the call, so its credit never ends.
CREATE FUNCTION begin_charging(call_id int, connected jsonb) RETURNS void LANGUAGE sql AS $$
  UPDATE "CreditReservation" r SET "paidSeconds" = b.seconds,
    "paidUntil" = (connected->>'at')::timestamptz + b.seconds * interval '1 second'
  FROM "BillingAccount" a, LATERAL (SELECT (connected->'seconds'->>(a."owner"::text))::int AS seconds) b
  WHERE r."callId" = call_id AND a."id" = r."accountId" AND b.seconds IS NOT NULL
$$;

-- Extends what is reserved for running calls. Each of `extensions`: { callId, accountId, from: the paid seconds that were read, to, amount:
-- what is reserved from now on }. One whose account cannot pay for it any more, or that another process extended, is left out.
-- @returns those that were extended
CREATE FUNCTION extend_credit(extensions jsonb) RETURNS TABLE ("callId" int, "accountId" int) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  extension record;
BEGIN
  FOR extension IN
    SELECT * FROM jsonb_to_recordset(extensions) AS e("callId" int, "accountId" int, "from" int, "to" int, "amount" numeric)
    ORDER BY e."accountId", e."callId"
  LOOP
    PERFORM FROM "BillingAccount" WHERE "id" = extension."accountId" FOR NO KEY UPDATE;
    UPDATE "CreditReservation" r SET "paidSeconds" = extension."to", "amount" = extension."amount",
      "paidUntil" = r."paidUntil" + (extension."to" - extension."from") * interval '1 second'
    FROM "BillingAccount" a
    WHERE r."callId" = extension."callId" AND r."accountId" = extension."accountId" AND r."paidSeconds" = extension."from"
      AND a."id" = r."accountId" AND (
        -- Paid for already, at the price of a dearer trunk.
        extension."amount" <= r."amount"
        OR (a."status" <> 'SUSPENDED' AND coalesce(available_credit(a) >= extension."amount" - r."amount", true)));
    IF FOUND THEN
      "callId" := extension."callId";
      "accountId" := extension."accountId";
      RETURN NEXT;
    END IF;
  END LOOP;
END $$;

-- What a call that ends costs, limited to what its accounts can pay: a process that was late to end it made it last longer than its credit. The
-- accounts are locked here, before the call's row releases the credit and the usage record charges it.
CREATE FUNCTION within_credit(call_id int, usage jsonb) RETURNS jsonb LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  reservation record;
  cost text;
BEGIN
  FOR reservation IN
    SELECT r."amount", r."paidSeconds", a."owner", available_credit(a) AS available
    FROM "CreditReservation" r JOIN "BillingAccount" a ON a."id" = r."accountId"
    WHERE r."callId" = call_id ORDER BY a."id" FOR NO KEY UPDATE OF a
  LOOP
    cost := CASE reservation."owner" WHEN 'TENANT' THEN 'tenantCharge' ELSE 'platformCost' END;
    IF reservation.available IS NOT NULL AND (usage->>cost)::numeric > reservation."amount" + greatest(reservation.available, 0) THEN
      usage := usage || jsonb_build_object(cost, reservation."amount", 'billedSeconds', reservation."paidSeconds");
    END IF;
  END LOOP;
  RETURN usage;
END $$;

-- Also what the operator charges the consumer, to the consumer's own account. A call counts from when it began: its credit was reserved then.
CREATE OR REPLACE FUNCTION book_charge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  account "BillingAccount";
  owed record;
  booked_at timestamptz := CASE TG_OP WHEN 'INSERT' THEN NEW."createdAt" ELSE now() END;
BEGIN
  FOR owed IN
    SELECT a."id", CASE a."owner" WHEN 'TENANT' THEN NEW."tenantCharge" ELSE NEW."platformCost" END AS amount
    FROM paying_accounts(NEW."consumerId", NEW."tenantId") a
    WHERE a."createdAt" <= coalesce(NEW."startedAt", NEW."createdAt")
      AND a."currency" = CASE a."owner" WHEN 'TENANT' THEN NEW."tenantCurrency" ELSE NEW."platformCurrency" END
    ORDER BY a."id"
  LOOP
    CONTINUE WHEN owed.amount IS NULL OR owed.amount <= 0;
    UPDATE "BillingAccount" a SET "balance" = a."balance" - owed.amount, "updatedAt" = booked_at
    WHERE a."id" = owed."id" AND abs(a."balance" - owed.amount) < 10::numeric ^ 12
      AND NOT EXISTS (SELECT FROM "BillingTransaction" t WHERE t."accountId" = a."id" AND t."source" = 'usage:' || NEW."id")
    RETURNING * INTO account;
    CONTINUE WHEN NOT FOUND;
    INSERT INTO "BillingTransaction" ("accountId", "kind", "amount", "balanceAfter", "description", "callId", "source", "createdAt")
    VALUES (account."id", 'CHARGE', -owed.amount, account."balance",
      CASE NEW."kind"
        WHEN 'CALL' THEN CASE NEW."direction" WHEN 'INBOUND' THEN 'Inbound call' ELSE 'Outbound call' END
        WHEN 'RECORDING' THEN 'Recording'
        WHEN 'STORAGE' THEN 'Storage on ' || NEW."day"
        WHEN 'SEAT' THEN 'Agents on ' || NEW."day"
        WHEN 'NUMBER' THEN 'Numbers on ' || NEW."day"
        ELSE 'Monthly fee, ' || NEW."day"
      END, NEW."callId", 'usage:' || NEW."id", booked_at);
  END LOOP;
  RETURN NULL;
END $$;

DROP TRIGGER "UsageRecord_charged" ON "UsageRecord";
CREATE TRIGGER "UsageRecord_charged" AFTER INSERT ON "UsageRecord"
  FOR EACH ROW WHEN (NEW."tenantCharge" > 0 OR NEW."platformCost" > 0) EXECUTE FUNCTION book_charge();
DROP TRIGGER "UsageRecord_priced" ON "UsageRecord";
CREATE TRIGGER "UsageRecord_priced" AFTER UPDATE OF "tenantCharge", "platformCost" ON "UsageRecord"
  FOR EACH ROW WHEN ((OLD."tenantCharge" IS NULL AND NEW."tenantCharge" > 0) OR (OLD."platformCost" IS NULL AND NEW."platformCost" > 0))
  EXECUTE FUNCTION book_charge();

-- @returns the outbox row of the step's effects
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

  INSERT INTO "EngineOutbox" ("callId", "effects", "claimedUntil")
  VALUES (call_id, step->'effects', clock_timestamp() + (step->>'claimMs')::int * interval '1 millisecond') RETURNING "id" INTO outbox_id;
  RETURN outbox_id;
END $$;
