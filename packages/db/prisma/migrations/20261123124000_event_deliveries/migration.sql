-- CreateTable
-- Half of each page is left free, so that a claim updates its row in place without touching an index.
CREATE TABLE "EventDelivery" (
    "eventRowId" BIGINT NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "priority" SMALLINT NOT NULL DEFAULT 0,
    "dueAt" TIMESTAMPTZ(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "claimedBy" TEXT,
    "claimedAt" TIMESTAMPTZ(3),

    CONSTRAINT "EventDelivery_pkey" PRIMARY KEY ("eventRowId")
) WITH (fillfactor = 50);

-- CreateIndex
CREATE INDEX "EventDelivery_priority_dueAt_idx" ON "EventDelivery"("priority", "dueAt");

-- Deliveries that are still jobs of graphile-worker continue as rows. Their jobs find the row and do nothing.
INSERT INTO "EventDelivery" ("eventRowId", "consumerId", "priority", "dueAt")
SELECT "id", "consumerId", CASE WHEN "attemptCount" = 0 THEN 0 ELSE 10 END, "nextAttemptAt"
FROM "Event" WHERE "status" = 'PENDING' AND "nextAttemptAt" IS NOT NULL;

-- A statement trigger instead of a foreign key, whose check per inserted row would cost a call's step more than the insert itself.
CREATE FUNCTION "delete_event_deliveries"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "EventDelivery" d USING deleted WHERE d."eventRowId" = deleted."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "Event_delete_deliveries" AFTER DELETE ON "Event"
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION "delete_event_deliveries"();
-- TRUNCATE fires no DELETE trigger.
CREATE FUNCTION "truncate_event_deliveries"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "EventDelivery";
  RETURN NULL;
END $$;
CREATE TRIGGER "Event_truncate_deliveries" AFTER TRUNCATE ON "Event"
  FOR EACH STATEMENT EXECUTE FUNCTION "truncate_event_deliveries"();

-- Records events in the given order, each with its delivery if the consumer has a URL and wants the type. `events` is an array of objects:
-- eventId, consumerId, tenantId, tenantRef, callId, type, sequence, body (text), occurredAt, dueAt. Returns the number of deliveries.
-- PL/pgSQL, because it keeps the plan for the whole session.
CREATE FUNCTION "record_events"(events jsonb) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  deliveries integer;
BEGIN
  WITH given AS (
    SELECT e.*, c."webhookUrl" <> '' AND (
        -- A test event was requested explicitly, so it is always sent.
        e."type" = 'webhook.test'
        OR jsonb_typeof(c."webhookEventTypes") IS DISTINCT FROM 'array'
        OR c."webhookEventTypes" ? e."type"
      ) AS wanted
    FROM ROWS FROM (jsonb_to_recordset(events) AS (
      "eventId" uuid, "consumerId" integer, "tenantId" integer, "tenantRef" text, "callId" integer, "type" text,
      "sequence" integer, "body" text, "occurredAt" timestamptz, "dueAt" timestamptz
    )) WITH ORDINALITY AS e("eventId", "consumerId", "tenantId", "tenantRef", "callId", "type",
      "sequence", "body", "occurredAt", "dueAt", place)
    -- An unknown account violates the foreign key of the event instead of losing it.
    LEFT JOIN "Consumer" c ON c."id" = e."consumerId"
  ), recorded AS (
    INSERT INTO "Event" ("eventId", "consumerId", "tenantId", "tenantRef", "callId", "type", "sequence", "body", "occurredAt",
      "status", "nextAttemptAt")
    SELECT "eventId", "consumerId", "tenantId", "tenantRef", "callId", "type", "sequence", "body", "occurredAt",
      CASE WHEN wanted THEN 'PENDING' ELSE 'DISCARDED' END::"EventStatus", CASE WHEN wanted THEN "dueAt" END
    FROM given ORDER BY place
    RETURNING "id", "consumerId", "nextAttemptAt"
  )
  INSERT INTO "EventDelivery" ("eventRowId", "consumerId", "dueAt")
  SELECT "id", "consumerId", "nextAttemptAt" FROM recorded WHERE "nextAttemptAt" IS NOT NULL;
  GET DIAGNOSTICS deliveries = ROW_COUNT;
  RETURN deliveries;
END $$;
