-- AlterTable
ALTER TABLE "Queue" ADD COLUMN     "answerWhileWaiting" BOOLEAN NOT NULL DEFAULT false;
