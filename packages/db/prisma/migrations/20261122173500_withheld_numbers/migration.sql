-- AlterTable
ALTER TABLE "Call" ADD COLUMN     "customerWithheld" BOOLEAN NOT NULL DEFAULT false;

-- A call without an address was withheld or erased; erasing also deletes the lifecycle log.
UPDATE "Call" c SET "customerWithheld" = true
WHERE c."customerAddress" IS NULL AND c."direction" = 'INBOUND' AND c."channelType" = 'SIP'
  AND EXISTS (SELECT FROM "CallLifecycle" l WHERE l."callId" = c."id");
