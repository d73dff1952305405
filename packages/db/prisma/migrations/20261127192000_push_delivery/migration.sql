-- The ID that the app and the provider see. A retry has the same one, so that an app can recognise it.
ALTER TABLE "PushNotification" ADD COLUMN "pushId" UUID NOT NULL DEFAULT gen_random_uuid();
