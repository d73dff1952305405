-- CreateTable
CREATE TABLE "FailedFact" (
    "id" BIGSERIAL NOT NULL,
    "factId" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "mediaNodeId" TEXT NOT NULL,
    "realtimeNodeId" TEXT NOT NULL,
    "fact" TEXT NOT NULL,
    "callId" INTEGER,
    "legId" TEXT NOT NULL,
    "error" TEXT NOT NULL,
    "payload" JSONB,
    "outcome" TEXT NOT NULL,

    CONSTRAINT "FailedFact_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "FailedFact_factId_key" ON "FailedFact"("factId");

-- CreateIndex
CREATE INDEX "FailedFact_mediaNodeId_id_idx" ON "FailedFact"("mediaNodeId", "id");

-- CreateIndex
CREATE INDEX "FailedFact_at_idx" ON "FailedFact"("at");
