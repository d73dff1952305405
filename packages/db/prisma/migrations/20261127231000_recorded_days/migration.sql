-- The days (UTC) whose daily usage is recorded for every tenant. The newest tells which days an interruption of the workers left out.
CREATE TABLE "RecordedDay" (
    "day" DATE NOT NULL,
    "recordedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "RecordedDay_pkey" PRIMARY KEY ("day")
);
