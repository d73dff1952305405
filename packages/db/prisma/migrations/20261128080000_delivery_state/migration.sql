-- The state of a delivery is in its narrow row alone: an attempt no longer writes a new version of the event's wide row and of its six indexes.
-- A pending event has a delivery; one without a delivery is undelivered for the reason given, or was delivered.

CREATE TYPE "Undelivered" AS ENUM ('FAILED', 'DISCARDED');
ALTER TABLE "Event" ADD COLUMN "undelivered" "Undelivered";
UPDATE "Event" SET "undelivered" = "status"::text::"Undelivered" WHERE "status" IN ('FAILED', 'DISCARDED');

ALTER TABLE "EventDelivery" ADD COLUMN "attemptCount" INTEGER NOT NULL DEFAULT 0;
-- Those of deleted or finished events, and those that pending events lack, as the sweep did.
DELETE FROM "EventDelivery" d WHERE NOT EXISTS (SELECT 1 FROM "Event" e WHERE e."id" = d."eventRowId" AND e."status" = 'PENDING');
INSERT INTO "EventDelivery" ("eventRowId", "consumerId", "dueAt")
SELECT "id", "consumerId", coalesce("nextAttemptAt", now()) FROM "Event" WHERE "status" = 'PENDING'
ON CONFLICT ("eventRowId") DO NOTHING;
UPDATE "EventDelivery" d SET "attemptCount" = e."attemptCount", "dueAt" = coalesce(e."nextAttemptAt", d."dueAt")
FROM "Event" e WHERE e."id" = d."eventRowId" AND e."attemptCount" > 0;

DROP INDEX "Event_pending_nextAttemptAt";
ALTER TABLE "Event" DROP COLUMN "status", DROP COLUMN "attemptCount", DROP COLUMN "nextAttemptAt";
DROP TYPE "EventStatus";

-- Deletes the delivery with its event; before that, it waits for an attempt that is being recorded.
ALTER TABLE "EventDelivery" ADD CONSTRAINT "EventDelivery_eventRowId_fkey"
  FOREIGN KEY ("eventRowId") REFERENCES "Event"("id") ON DELETE CASCADE ON UPDATE CASCADE;
DROP TRIGGER "Event_delete_deliveries" ON "Event";
DROP FUNCTION "delete_event_deliveries"();
DROP TRIGGER "Event_truncate_deliveries" ON "Event";
DROP FUNCTION "truncate_event_deliveries"();

-- A foreign key of the attempts would lock the event's row, which writes to its page, for each of them. Statement triggers run after the
-- cascades of the rows, and so after the record of an attempt has been waited for.
ALTER TABLE "EventAttempt" DROP CONSTRAINT "EventAttempt_eventRowId_fkey";
CREATE FUNCTION "delete_event_attempts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "EventAttempt" a USING deleted WHERE a."eventRowId" = deleted."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "Event_delete_attempts" AFTER DELETE ON "Event"
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION "delete_event_attempts"();
-- TRUNCATE fires no DELETE trigger.
CREATE FUNCTION "truncate_event_attempts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "EventAttempt";
  RETURN NULL;
END $$;
CREATE TRIGGER "Event_truncate_attempts" AFTER TRUNCATE ON "Event"
  FOR EACH STATEMENT EXECUTE FUNCTION "truncate_event_attempts"();

-- As before, with the new columns.
CREATE OR REPLACE FUNCTION "record_events"(events jsonb) RETURNS integer LANGUAGE plpgsql AS $$
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
      "undelivered")
    SELECT "eventId", "consumerId", "tenantId", "tenantRef", "callId", "type", "sequence", "body", "occurredAt",
      CASE WHEN wanted THEN NULL ELSE 'DISCARDED'::"Undelivered" END
    FROM given ORDER BY place
    RETURNING "id", "eventId", "consumerId", "undelivered"
  )
  INSERT INTO "EventDelivery" ("eventRowId", "consumerId", "dueAt")
  SELECT recorded."id", recorded."consumerId", given."dueAt" FROM recorded JOIN given USING ("eventId")
  WHERE recorded."undelivered" IS NULL;
  GET DIAGNOSTICS deliveries = ROW_COUNT;
  RETURN deliveries;
END $$;

-- What the tasks that are no longer needed have left. On a new database the job queue does not exist yet.
DO $$
BEGIN
  IF to_regclass('graphile_worker._private_jobs') IS NOT NULL THEN
    DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
    WHERE t.id = j.task_id AND t.identifier IN ('deliver-event', 'sweep-events');
  END IF;
END $$;
