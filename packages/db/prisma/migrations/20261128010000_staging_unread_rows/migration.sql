-- A row whose price cannot be read is staged with its prefix only.
ALTER TABLE "RateStaging" ALTER COLUMN "rate" DROP NOT NULL, ALTER COLUMN "initialSeconds" DROP NOT NULL,
  ALTER COLUMN "incrementSeconds" DROP NOT NULL, ALTER COLUMN "connectionFee" DROP NOT NULL;
