-- CreateTable
CREATE TABLE "DemoHistory" (
    "consumerId" INTEGER NOT NULL,
    "rows" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "DemoHistory_pkey" PRIMARY KEY ("consumerId")
);

-- AddForeignKey
ALTER TABLE "DemoHistory" ADD CONSTRAINT "DemoHistory_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;
